# Sourced by the scripts, which have gone to the project's folder: which version this is.

# What 'git archive' writes into this line takes the place of the repository in an archive without one.
archived='$Format:%H %ct %(describe:tags=true,match=v[0-9]*)$'

# Also where the folder belongs to another user, as in a container.
own_git() { git -c safe.directory="$PWD" "$@"; }

# Sets commit (40 digits), commit_time (seconds since 1970) and version, all empty where neither a
# repository nor 'git archive' tells them.
#
# version is that of Version.swift for a commit with its tag (0.3.0 at v0.3.0); before the tag it is
# 0.3.0~git20261127.235959.0123456, and after it 0.3.0+git…, which package managers sort so.
# Changes that are not committed add '+changed'.
read_version() {
    local release description changed=
    if [[ $archived == [0-9a-f]* ]]; then
        read -r commit commit_time description <<<"$archived"
    elif [[ -e .git ]] && read -r commit commit_time <<<"$(own_git log -1 --format='%H %ct')" \
        && [[ -n $commit ]]; then
        description=$(own_git describe --tags --match 'v[0-9]*' 2>/dev/null) || description=
        if [[ -n $(own_git status --porcelain -uno; own_git status --porcelain -- Sources Package.swift) ]]; then
            changed=+changed
        fi
    else
        commit='' commit_time='' version=''
        return
    fi
    release=$(sed -n 's/.* static let release = "\(.*\)".*/\1/p' Sources/DuetApp/Version.swift)
    if [[ $description == "v$release" ]]; then
        version=$release
    elif [[ $description =~ ^"v$release"-[0-9]+-g[0-9a-f]+$ ]]; then
        version=$release+git
    else
        version=$release~git
    fi
    if [[ $version == *git ]]; then
        version+=$(date -u -d "@$commit_time" +%Y%m%d.%H%M%S).${commit:0:7}
    fi
    version+=$changed
}

# Puts commit and version into the build ID of a program, where 'duet --version' reads them. The linker has
# left room for both (build.sh): 20 bytes for the commit, then the text of the version, which ends with
# zeros. So the flags of the build are the same for each commit: SwiftPM compiles all modules again where a
# flag of the linker has changed. Without
# a commit the room stays empty.
write_build_id() {
    local program=$1 commit commit_time version place text draft
    read_version
    # An ELF note: the sizes of its name and of its contents (96), its type (3, a build ID), its name.
    place=$(LC_ALL=C grep -obUaP '\x04\0\0\0\x60\0\0\0\x03\0\0\0GNU\0' "$program" | tr -cd '0-9:\n' \
        | head -n 1) || true
    if [[ -z $place ]]; then
        echo "version: $program has no room for a build ID" >&2
        return 1
    fi
    text=$commit
    if [[ -n $commit ]]; then text+=$(printf %.75s "$version" | od -An -v -tx1 | tr -d ' \n'); fi
    while ((${#text} < 192)); do text+=00; done
    # In a copy: the program may be running.
    draft=$program.$$
    cp -p "$program" "$draft"
    # shellcheck disable=SC2001
    printf "$(sed 's/../\\x&/g' <<<"$text")" \
        | dd of="$draft" bs=1 seek=$((${place%%:*} + 16)) conv=notrunc status=none
    touch -r "$program" "$draft"
    mv "$draft" "$program"
}
