# Sourced by the scripts: the packages that they need, and how to install them.
#
# Each need is "PACKAGE kind NAME". The script looks for the command, library, header or module (of
# Python) NAME, a header where pkg-config does not know the library, and not for the package, so that
# a library from elsewhere (another distribution, an own build) counts too.

# swift build. SwiftPM writes the traits of a package into commands in the order of a Set, which differs
# from run to run: without this, all would often be compiled again.
swift_build() { SWIFT_DETERMINISTIC_HASHING=1 swift build "$@"; }

# /usr/sbin holds nginx, and is not on every user's path.
PATH="$PATH:/usr/sbin"

build_needs=(
    "pkg-config command pkg-config"
    "libjack-jackd2-dev library jack"
    "libmpg123-dev library libmpg123"
    "libcurl4-openssl-dev library libcurl"
    "libsoxr-dev library soxr"
    "librubberband-dev library rubberband"
    "libsndfile1-dev library sndfile"
    "libflac-dev library flac"
    "libogg-dev library ogg"
    "libvorbis-dev library vorbisfile"
    "libopusfile-dev library opusfile"
    "liblo-dev library liblo"
    "libzita-resampler-dev header zita-resampler/resampler.h"
    "libmysofa-dev library libmysofa"
    "libspeexdsp-dev library speexdsp"
    "libkissfft-dev library kissfft-float"
    "libjansson-dev library jansson"
    "libebur128-dev library libebur128"
    "libuchardet-dev library uchardet"
    "zlib1g-dev library zlib"
    "jackd2 command jackd"
)
# For the program duet-ffmpeg, in a package of its own.
helper_needs=(
    "libavformat-dev library libavformat"
    "libavcodec-dev library libavcodec"
    "libavutil-dev library libavutil"
    "libswresample-dev library libswresample"
)
test_needs=(
    "${helper_needs[@]}"
    "lame command lame"
    "p7zip-full command 7z"
    "ffmpeg command ffmpeg"
    "sox command sox"
    "mpg123 command mpg123"
    "nginx-light command nginx"
    "icecast2 command icecast2"
    "openssl command openssl"
    "curl command curl"
    "python3 command python3"
    "llvm command llvm-dwarfdump" # which Swift's toolchain does not bring
    "pipewire command pipewire"
    "pipewire-bin command pw-cli"
    "pipewire-jack command pw-jack"
    "wireplumber command wireplumber"
    "dbus-daemon command dbus-daemon"
    "tmux command tmux"
    "git command git"
    "lowdown command lowdown"
    "zsh command zsh"
    "fish command fish"
)
# Debian 12 and Ubuntu 22.04 have it in jackd2, and no such package.
if [[ ! $(</etc/os-release) =~ VERSION_ID=\"(12|22.04)\" ]]; then
    test_needs+=("jack-example-tools command jack_lsp")
fi
# For the manual and the completions, by tools/make-manual.
package_needs=(
    "binutils command objcopy"
    "chrpath command chrpath"
    "dpkg-dev command dpkg-shlibdeps"
    "lowdown command lowdown"
    "python3 command python3"
)
package_test_needs=(
    "debootstrap command debootstrap"
    "ffmpeg command ffmpeg"
    "lintian command lintian"
)
bench_needs=(
    "mpv command mpv"
    "jack-mixer command jack_mix_box"
    "rubberband-cli command rubberband"
    "python3-numpy module numpy"
    "python3-scipy module scipy"
    "cava command cava"
)

# Prints the packages whose need is not met.
missing() {
    local need package kind name
    for need in "$@"; do
        read -r package kind name <<<"$need"
        case $kind in
        command) command -v "$name" >/dev/null || echo "$package" ;;
        library) pkg-config --exists "$name" 2>/dev/null || echo "$package" ;;
        module) python3 -c "import $name" 2>/dev/null || echo "$package" ;;
        header) [[ -e /usr/include/$name || -e /usr/local/include/$name ]] || echo "$package" ;;
        esac
    done
}

# Runs apt, up to three times where it fails (100): a mirror that is being renewed has an index and files
# that do not fit for some seconds.
again() {
    local attempt status
    for attempt in 1 2 3; do
        status=0
        "$@" || status=$?
        if ((status != 100 || attempt == 3)); then return "$status"; fi
        sleep $((attempt * 15))
    done
}

# Installs the missing packages, or names them and ends the script.
require() {
    local packages as_root=()
    mapfile -t packages < <(missing "$@")
    if ((${#packages[@]} == 0)); then return; fi
    echo "missing packages: ${packages[*]}" >&2
    if ! command -v apt-get >/dev/null; then
        echo "there is no apt here: install what these Debian packages hold, then run this again" >&2
        exit 1
    fi
    if ((EUID != 0)); then
        as_root=(sudo)
        if ! command -v sudo >/dev/null; then
            echo "there is no sudo here: as root, run 'apt-get install ${packages[*]}'" >&2
            exit 1
        fi
    fi
    # Noninteractive, because jackd2 would ask whether it may have realtime priority.
    # Everything to standard error: standard output is for what the caller prints.
    again "${as_root[@]}" apt-get update -q >&2 </dev/null
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
        apt-get install -q -y --no-install-recommends "${packages[@]}" >&2 </dev/null
    mapfile -t packages < <(missing "$@")
    if ((${#packages[@]} > 0)); then
        echo "still missing after installing: ${packages[*]}" >&2
        exit 1
    fi
}

# Ends the script where there is no Swift toolchain that can build. One that was unpacked without what it
# needs (a library, a linker, the C library) fails in words of its own, sometimes after minutes.
require_swift() {
    local answer
    if ! command -v swift >/dev/null; then
        echo "no swift here: install the Swift 6.3 toolchain from https://www.swift.org/install" >&2
        exit 1
    fi
    if ! answer=$(build_probe 2>&1); then
        echo "${answer%%$'\n'*}" >&2
        echo "swift cannot build here: install the packages that https://www.swift.org/install" >&2
        echo "lists for this system" >&2
        exit 1
    fi
}

# Builds the smallest program.
build_probe() (
    folder=$(mktemp -d)
    trap 'rm -r "$folder"' EXIT
    cd "$folder"
    echo 'import Glibc' >probe.swift
    swiftc -o probe probe.swift
)
