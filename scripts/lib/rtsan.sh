# Sourced: the tests under RealtimeSanitizer. The toolchain ships its runtime, but swiftc has no
# switch for it: it is linked whole, and CRealtime marks where realtime code begins and ends.

rtsan_flags() {
    local resources
    resources=$(clang -print-resource-dir)
    echo --scratch-path .build-rtsan \
        -Xcc -DDUET_RTSAN -Xswiftc -DDUET_RTSAN \
        -Xlinker --whole-archive \
        -Xlinker "$resources/lib/linux/libclang_rt.rtsan-$(uname -m).a" \
        -Xlinker --no-whole-archive -Xlinker --export-dynamic -Xlinker -lstdc++
}

# Runs a command that has a fault planted at PLACE in its realtime code; it must be caught.
rtsan_plant() {
    local place=$1 report=$2/planted-$1
    shift 2
    if DUET_PLANT=$place "$@" >"$report" 2>&1 </dev/null; then
        echo "rtsan: the allocation planted in the $place went unnoticed:" >&2
        cat "$report" >&2
        return 1
    fi
    # Ended with an error, but by whom?
    if ! grep -q 'ERROR: RealtimeSanitizer: unsafe-library-call' "$report" \
        || ! grep -q crealtime_plant "$report"; then
        echo "rtsan: no report of the allocation planted in the $place, only:" >&2
        cat "$report" >&2
        return 1
    fi
    echo "rtsan: the allocation planted in the $place was caught"
}

rtsan_test() {
    local flags work
    read -ra flags < <(rtsan_flags)
    work=$(mktemp -d)
    # Expanded now: the function's variables are gone by then.
    # shellcheck disable=SC2064
    trap "rm -rf '$work'" EXIT
    swift build --build-tests "${flags[@]}"

    # Reports go to files, so that one in a child that a test expects to fail is not lost. Each
    # process adds a line to the count when it exits.
    local status=0
    DUET_RTSAN_COUNT=$work/count DUET_RTSAN_REPORT=$work/report \
        scripts/lib/run-tests.py "$(tests "${flags[@]}")" "$@" || status=$?
    local reports=("$work"/report.*)
    if [[ -e ${reports[0]} ]]; then
        echo "rtsan: ${#reports[@]} report(s):" >&2
        cat "${reports[@]}" >&2
        return 1
    fi
    local live offline
    read -r live offline < <(awk '{ l += $1; o += $2 } END { print l + 0, o + 0 }' "$work/count")
    echo "rtsan: 0 reports; guarded cycles: $live live, $offline offline"
    if ((status != 0)); then return "$status"; fi
    if ((live + offline <= 10000 || live == 0 || offline == 0)); then
        echo "rtsan: too few to prove anything (more than 10,000 in all, and some of each)" >&2
        return 1
    fi

    # The proof that the net has no hole: one fault planted at a time.
    local one=(scripts/lib/run-tests.py "$(tests "${flags[@]}")" --verbose --filter)
    rtsan_plant callback "$work" timeout 60 "${one[@]}" LiveMix
    rtsan_plant kernel "$work" timeout 60 "${one[@]}" SharedBuffer
}
