# Sourced: the tests without a server under ThreadSanitizer. Live runs end inside libjack's own
# threads, which it does not know: they are RealtimeSanitizer's.

tsan_flags=(--scratch-path .build-tsan --sanitize thread -Xswiftc -DDUET_TSAN)
tsan_tests='^(AudioGraph|AudioMedia)Tests[.]|[.](Inbox|Output|Patchbay[A-Za-z]*)Tests/'

tsan_test() {
    local work
    work=$(mktemp -d)
    # Expanded now: the function's variables are gone by then.
    # shellcheck disable=SC2064
    trap "rm -rf '$work'" EXIT
    swift build --build-tests "${tsan_flags[@]}"

    # A report in any process is a file; the test that made it goes on.
    local status=0
    TSAN_OPTIONS="log_path=$work/report exitcode=0" \
        scripts/lib/run-tests.py "$(tests "${tsan_flags[@]}")" "$@" || status=$?
    local reports=("$work"/report.*)
    if [[ -e ${reports[0]} ]]; then
        echo "tsan: reports:" >&2
        cat "${reports[@]}" >&2
        return 1
    fi
    echo "tsan: 0 reports"
    if ((status != 0)); then return "$status"; fi

    # The proof that the net has no hole.
    DUET_PLANT=race scripts/lib/run-tests.py "$(tests "${tsan_flags[@]}")" --verbose \
        --filter PlantedRace >"$work/planted" 2>&1 || true
    if ! grep -q 'WARNING: ThreadSanitizer: data race' "$work/planted" \
        || ! grep -q twoThreadsAddToOneSum "$work/planted"; then
        echo "tsan: the planted race went unnoticed:" >&2
        cat "$work/planted" >&2
        return 1
    fi
    echo "tsan: the planted race was caught"
}
