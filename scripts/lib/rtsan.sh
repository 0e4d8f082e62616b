# Sourced: the tests under RealtimeSanitizer. The toolchain ships its runtime, but swiftc has no
# switch for it: it is linked whole, and CRealtime marks where realtime code begins and ends.

rtsan_work=$(mktemp -d)
trap 'rm -rf "$rtsan_work"' EXIT
rtsan_runtime=$(clang -print-resource-dir)/lib/linux/libclang_rt.rtsan-$(uname -m).a
rtsan_flags=(
    --scratch-path .build-test -c release -Xswiftc -enable-testing
    # What other modules see of a module comes with its code, not from a second compiler: nobody waits
    # for that of the tests.
    -Xswiftc -no-emit-module-separately-wmo
    # Not where users build it: a new compiler may warn of more.
    -Xswiftc -warnings-as-errors
    -Xcc -DDUET_RTSAN -Xswiftc -DDUET_RTSAN
    -Xlinker --whole-archive -Xlinker "$rtsan_runtime" -Xlinker --no-whole-archive
    -Xlinker --export-dynamic -Xlinker -lstdc++
)

rtsan_build() { swift_build --build-tests "${rtsan_flags[@]}"; }

# Runs a command that starts tests. Reports go to files, so that one in a child that a test expects
# to fail is not lost. Each process adds a line to the count when it exits.
rtsan_watch() {
    local status=0
    DUET_RTSAN_COUNT=$rtsan_work/count DUET_RTSAN_REPORT=$rtsan_work/report "$@" || status=$?
    local reports=("$rtsan_work"/report.*)
    if [[ -e ${reports[0]} ]]; then
        echo "rtsan: ${#reports[@]} report(s):" >&2
        cat "${reports[@]}" >&2
        return 1
    fi
    return "$status"
}

# Runs the tests with these options of run-tests.py.
rtsan_test() {
    local tests
    tests=$(tests "${rtsan_flags[@]}")
    rtsan_watch run_tests "$tests" "$@"
}

# Proves that a silent `rtsan_test` means something: cycles were guarded, and planted faults are
# caught.
rtsan_prove() {
    local live offline
    read -r live offline < <(
        awk '{ l += $1; o += $2 } END { print l + 0, o + 0 }' "$rtsan_work/count")
    if ((live + offline <= 10000 || live == 0 || offline == 0)); then
        echo "rtsan: $live live and $offline offline cycles were guarded, too few to prove" \
            "anything (more than 10,000 in all, and some of each)" >&2
        return 1
    fi
    rtsan_plant callback LiveMix
    rtsan_plant kernel SharedBuffer
    echo "rtsan: 0 reports in $live live and $offline offline cycles; both planted faults caught"
}

# Runs the suite SUITE with a fault planted at PLACE in the realtime code; it must be caught.
rtsan_plant() {
    local place=$1 suite=$2
    local report=$rtsan_work/planted-$place
    if DUET_PLANT=$place timeout 60 scripts/lib/run-tests.py "$(tests "${rtsan_flags[@]}")" \
        --verbose --filter "$suite" >"$report" 2>&1 </dev/null; then
        echo "rtsan: the allocation planted in the $place went unnoticed:" >&2
        cat "$report" >&2
        return 1
    fi
    # The run failed: checks that RealtimeSanitizer's report of the planted fault is the reason.
    if ! grep -q 'ERROR: RealtimeSanitizer: unsafe-library-call' "$report" \
        || ! grep -q crealtime_plant "$report"; then
        echo "rtsan: no report of the allocation planted in the $place, only:" >&2
        cat "$report" >&2
        return 1
    fi
}
