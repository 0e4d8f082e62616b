# Sourced: the tests that have two threads and no server, under ThreadSanitizer. As that does not
# know libjack's own threads, tests with a server run only under RealtimeSanitizer.

tsan_work=$(mktemp -d)
trap 'rm -rf "$tsan_work"' EXIT
tsan_flags=(--scratch-path .build-tsan --sanitize thread -Xswiftc -DDUET_TSAN)
# The suites with two threads.
tsan_tests='^SystemSupportTests[.]|^AudioGraphTests[.](Binaural|Callback|FollowingSong|GenericOutput|Graph|HRTF|Heard|NodeLife|Parameter|QueueFill|QueueLife|QueuePlayer|QueueSource|Recorder|Registry|SharedBuffer|Supply|Tap|VoiceKernel|VoiceProcessor)Tests/|^AudioMediaTests[.](HTTPSource|List|ListPause|OwnEffects|PlaylistQueue|Queue|QueueEnd|Song|TunedSong|LyricsLoader|Playback|QueuedSong|SongWorker|Torture|Underrun|Waiting)Tests/|[.](LiveLoudness|TakeWriter|Output|Patchbay[A-Za-z]*|SongStore|WholeFile)Tests/'
# Of the longest of them only the tests in which a second thread does the most; and none whose threads
# must keep up with what is played, which they do not here.
tsan_skipped='PlaylistQueueTests/theRingIsFilled|RegistryTests/(?!everyParameterMayBeSetFromAnotherThread|aPlanKeeps)|VoiceProcessorTests/(?!theDelayIsAsTold)|[.]ListTests/(?!anAdded|aRemoved|songsAre)'

tsan_build() { swift_build --build-tests "${tsan_flags[@]}"; }

# Runs the tests with these options of run-tests.py.
tsan_test() {
    # Each process writes its reports to a file; a test goes on after a report.
    local status=0
    TSAN_OPTIONS="log_path=$tsan_work/report exitcode=0" \
        run_tests "$(tests "${tsan_flags[@]}")" "$@" || status=$?
    local reports=("$tsan_work"/report.*)
    if [[ -e ${reports[0]} ]]; then
        echo "tsan: reports:" >&2
        cat "${reports[@]}" >&2
        return 1
    fi
    if ((status != 0)); then return "$status"; fi
    # Proves that a planted race is caught.
    tsan_plant twoThreadsAddToOneSum
    echo "tsan: 0 reports; the planted race was caught"
}

# Runs a planted test, of which there must be a report.
tsan_plant() {
    local report=$tsan_work/planted-$1
    DUET_PLANT=race timeout 60 scripts/lib/run-tests.py "$(tests "${tsan_flags[@]}")" --verbose \
        --filter "PlantedRaceTests/$1" >"$report" 2>&1 || true
    # The report must be of this test: its mangled name stands in the report's stack.
    if ! grep -A 8 -E 'WARNING: ThreadSanitizer: (data race|Swift access race)' "$report" \
        | grep -qE "#[0-9]+ .*${1#twoThreads}"; then
        echo "tsan: no report of $1:" >&2
        cat "$report" >&2
        return 1
    fi
}
