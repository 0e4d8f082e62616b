# Sourced, with packages.sh: builds duet-ffmpeg for each FFmpeg that a Debian has, on any of them.

# Debian 12, 13 and the next: their FFmpeg is 5.1, 7.1 and whatever sid has now.
helper_suites=(bookworm trixie sid)

# Builds FOLDER/duet-ffmpeg-N for each of these Debians, N being the number in the name of its libavformat
# (libavformat.so.61). Headers and libraries are those of its packages, which apt checks and downloads into
# .build/helpers; nothing is installed. All names that the libraries themselves need are left to the Debian
# where the program starts.
build_helpers() {
    local folder=$1 suite
    mkdir -p "$folder"
    for suite in "${helper_suites[@]}"; do build_one_helper "$folder" "$suite"; done
}

build_one_helper() {
    local folder=$1 suite=$2 place=$PWD/.build/helpers/$2 libraries number
    local mirror=${DEBIAN_MIRROR:-http://deb.debian.org/debian}
    local wanted=(avformat avcodec avutil swresample)
    local apt=(
        -o "Dir::State=$place" -o "Dir::State::lists=$place/lists" -o "Dir::State::status=$place/status"
        -o "Dir::Cache=$place/cache" -o "Dir::Etc::SourceList=$place/sources.list"
        -o Dir::Etc::SourceParts=/dev/null -o Acquire::Languages=none -o APT::Sandbox::User=root
        # An old index will do: it is signed, and names what it had.
        -o Acquire::Check-Valid-Until=false
        # Only the index of packages, not what apt-file and shops of programs want, which is larger.
        -o Acquire::IndexTargets::deb::Contents-deb::DefaultEnabled=false
        -o Acquire::IndexTargets::deb::DEP-11::DefaultEnabled=false
    )
    rm -rf "$place"
    mkdir -p "$place"/{lists/partial,cache/archives/partial,debs,root,links}
    : >"$place/status"
    echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $mirror $suite main" \
        >"$place/sources.list"
    again apt-get -qq "${apt[@]}" update
    # A package of headers names that of its library.
    local headers=(libavformat-dev libavcodec-dev libavutil-dev libswresample-dev)
    libraries=$(apt-cache "${apt[@]}" depends "${headers[@]}" \
        | grep -oE 'lib(avformat|avcodec|avutil|swresample)[0-9]+' | sort -u)
    # shellcheck disable=SC2086
    (cd "$place/debs" && again apt-get -qq "${apt[@]}" download "${headers[@]}" $libraries)
    local deb name link
    for deb in "$place"/debs/*.deb; do dpkg-deb -x "$deb" "$place/root"; done
    local triple
    triple=$(dpkg-architecture -qDEB_HOST_MULTIARCH)
    for name in "${wanted[@]}"; do
        link=$(readlink "$place/root/usr/lib/$triple/lib$name.so")
        ln -s "$place/root/usr/lib/$triple/$link" "$place/links/lib$name.so"
        if [[ $name == avformat ]]; then
            number=${link#*.so.}
            number=${number%%.*}
        fi
    done
    clang -std=gnu17 -O2 -Wall -Werror -fPIE -pie -fstack-protector-strong -D_FORTIFY_SOURCE=2 \
        -ffile-prefix-map="$PWD"=. -isystem "$place/root/usr/include/$triple" \
        FFmpeg/Sources/duet-ffmpeg/*.c -o "$folder/duet-ffmpeg-$number" -L"$place/links" \
        -lavformat -lavcodec -lavutil -lswresample \
        -Wl,--unresolved-symbols=ignore-in-shared-libs -Wl,-z,relro -Wl,-z,now -Wl,--as-needed
    strip "$folder/duet-ffmpeg-$number"
}
