# Sourced: the one release build that duet, lint and bench share, so that none undoes another's.

# Swift's runtime goes into the program: one file to install, and quick to start.
release_flags=(-c release --static-swift-stdlib)

# Builds a product for release; quiet unless it fails, all chatter on standard error.
build_release() {
    local product=$1
    if [[ ! -e .build/release/$product ]]; then
        echo "building $product; the first time takes some minutes" >&2
    fi
    # Not our caller's standard input: it may be a song. The linker has warnings to give about the
    # runtime's own objects, even when told to be quiet.
    local log
    log=$(mktemp)
    if ! swift build "${release_flags[@]}" --product "$product" >"$log" 2>&1 </dev/null; then
        cat "$log" >&2
        rm "$log"
        return 1
    fi
    rm "$log"
}
