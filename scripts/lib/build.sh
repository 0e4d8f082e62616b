# Sourced: the release builds of the program, the examples and the benchmark. Their packages build in one folder,
# so that the libraries are built once.

source "$(dirname "${BASH_SOURCE[0]}")/version.sh"

# Swift's runtime goes into the program: one file to install, and quick to start. lld comes with the
# toolchain, and links in half of gold's time. Functions of libraries are looked up at the start (-z now),
# because a look-up on JACK's thread would take a lock. Nothing is exported, as nothing loads into duet:
# this saves 400 kB.
release_flags=(
    -c release --static-swift-stdlib -Xswiftc -use-ld=lld -Xlinker -z -Xlinker now
    -Xlinker --no-export-dynamic -Xswiftc -num-threads -Xswiftc 1
    # Room for commit and version, which write_build_id fills.
    -Xlinker "--build-id=0x$(printf '%0192d' 0)"
)
# Relative relocations in a packed form, 1.2 MB less, which the loader knows from glibc 2.36 on (Debian 12).
glibc=$(getconf GNU_LIBC_VERSION)
if [[ $glibc =~ ([0-9]+)\.([0-9]+) ]] && ((BASH_REMATCH[1] * 1000 + BASH_REMATCH[2] >= 2036)); then
    release_flags+=(-Xlinker -z -Xlinker pack-relative-relocs)
fi

# A few of the compiler's decisions follow the addresses of its objects, and two builds would differ in a
# handful of instructions. So addresses are not randomized, where this may be turned off, and each module
# is compiled by one thread (above); several modules are compiled at once.
fixed_addresses=()
if setarch --addr-no-randomize true 2>/dev/null; then
    fixed_addresses=(setarch --addr-no-randomize)
fi

# Whether a product was built, and none of its SOURCES has changed since. Folders are looked at too:
# their dates change when a file in them is removed.
is_built() {
    local product=$1 sources=("${@:2}")
    if ((${#sources[@]} == 0)); then sources=(Package.swift Sources); fi
    [[ -x .build/release/$product && -e .build/$product.built ]] \
        && [[ -z $(find "${sources[@]}" -newer ".build/$product.built" -print -quit) ]]
}

# Builds a product of this package for release.
build_release() {
    local product=$1 begun
    begun=$(mktemp)
    if ! release_build "$product" --product "$product"; then
        rm "$begun"
        return 1
    fi
    write_build_id ".build/release/$product"
    # This file is as old as the beginning of the build: sources changed during it are newer.
    mv "$begun" ".build/$product.built"
}

# Builds the examples for release, and with them the three libraries.
# Builds duet-ffmpeg for release, and puts it beside duet, where duet looks for it.
build_helper() {
    local begun
    begun=$(mktemp)
    # In a folder of its own: a package without dependencies would remove those of duet from .build.
    if ! release_build duet-ffmpeg --package-path FFmpeg --scratch-path .build-helper \
        --disable-index-store; then
        rm "$begun"
        return 1
    fi
    install -D .build-helper/release/duet-ffmpeg .build/release/duet-ffmpeg
    mv "$begun" .build/duet-ffmpeg.built
}

build_examples() {
    release_build "the examples" --package-path Examples --scratch-path .build --disable-index-store
}

build_benchmark() {
    release_build "the benchmark" --package-path Benchmarks --scratch-path .build --disable-index-store
}

# Builds the engine for release without the package's traits, in a folder of its own.
build_engine_alone() {
    release_build "the engine without its traits" --disable-default-traits --target JackIO \
        --scratch-path .build-engine --disable-index-store
}

# Builds WHAT for release with these options; quiet unless it fails, all messages on standard error.
release_build() {
    local what=$1 log
    shift
    echo "building $what; the first time takes some minutes" >&2
    # Not with the caller's standard input, which may be a song. The output is shown after a failure
    # only, as the linker warns about the runtime's own objects even when told to be quiet.
    log=$(mktemp)
    if ! "${fixed_addresses[@]}" env SWIFT_DETERMINISTIC_HASHING=1 swift build "${release_flags[@]}" "$@" >"$log" 2>&1 </dev/null; then
        cat "$log" >&2
        rm "$log"
        return 1
    fi
    rm "$log"
}
