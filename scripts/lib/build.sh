# Sourced: the one release build that duet, lint and bench share, so that they do not rebuild it.

# Swift's runtime goes into the program: one file to install, and quick to start.
release_flags=(-c release --static-swift-stdlib)

# Whether a product was built, and no source has changed since. Folders are looked at too: their
# dates change when a file in them is removed.
is_built() {
    local product=$1
    [[ -x .build/release/$product && -e .build/$product.built ]] \
        && [[ -z $(find Package.swift Sources -newer ".build/$product.built" -print -quit) ]]
}

# Builds a product for release; quiet unless it fails, all messages on standard error.
build_release() {
    local product=$1
    echo "building $product; the first time takes some minutes" >&2
    # Not with the caller's standard input, which may be a song. The output is shown after a failure
    # only, as the linker warns about the runtime's own objects even when told to be quiet.
    local log begun
    log=$(mktemp)
    begun=$(mktemp)
    if ! swift build "${release_flags[@]}" --product "$product" >"$log" 2>&1 </dev/null; then
        cat "$log" >&2
        rm "$log" "$begun"
        return 1
    fi
    rm "$log"
    # This file is as old as the beginning of the build: sources changed during it are newer.
    mv "$begun" ".build/$product.built"
}
