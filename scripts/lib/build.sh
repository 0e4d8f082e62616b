# Sourced: the one release build that duet, lint and bench share, so that none undoes another's.

# Swift's runtime goes into the program: one file to install, and quick to start.
release_flags=(-c release --static-swift-stdlib)

# Whether a product was built, and nothing that it is made of has changed since. Folders count: a
# file that is gone changes them.
is_built() {
    local product=$1
    [[ -x .build/release/$product && -e .build/$product.built ]] \
        && [[ -z $(find Package.swift Sources -newer ".build/$product.built" -print -quit) ]]
}

# Builds a product for release; quiet unless it fails, all chatter on standard error.
build_release() {
    local product=$1
    echo "building $product; the first time takes some minutes" >&2
    # Not our caller's standard input: it may be a song. The linker has warnings to give about the
    # runtime's own objects, even when told to be quiet.
    local log begun
    log=$(mktemp)
    begun=$(mktemp)
    if ! swift build "${release_flags[@]}" --product "$product" >"$log" 2>&1 </dev/null; then
        cat "$log" >&2
        rm "$log" "$begun"
        return 1
    fi
    rm "$log"
    # As old as the build's beginning: what was changed meanwhile is newer.
    mv "$begun" ".build/$product.built"
}
