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

# Prints the linker's option that puts commit and version into the program's build ID: the commit's 20
# bytes, then the text of the version, which ends with zeros. 'duet --version' reads them there, and only
# linking depends on them. Where there is no commit the build ID is the linker's hash.
build_id_flag() {
    local commit commit_time version text
    read_version
    if [[ -n $commit ]]; then
        text=$(printf %s "$version" | od -An -v -tx1 | tr -d ' \n')
        # Notes have a multiple of 4 bytes.
        while ((${#text} % 8 != 0)); do text+=00; done
        echo "--build-id=0x$commit$text"
    else
        echo --build-id=sha1
    fi
}
