import Foundation
import Rig
import Testing

/// PipeWire's daemon is killed and started again while duet plays.
@Suite struct PipeWireLossTests {
    /// The test as a shell script, run beside a PipeWire of its own. A shell cannot wait for
    /// events, so the script polls the log.
    private static let script = """
        duet=$0 song=$1 log=$XDG_RUNTIME_DIR/duet.log
        until_true() { for try in $(seq 200); do "$@" && return; sleep 0.05; done; echo "no $*"; }
        has() { grep -q "$1" "$log" 2>/dev/null; }
        wired() { pw-jack jack_lsp -c | grep -A1 "^pwduet:out_left" | grep -q playback_FL; }
        pw-jack "$duet" play "$song" -n pwduet --out playback: --json >"$log" 2>&1 &
        until_true has '"playing"'
        until_true wired && echo wired
        # Another one of the machine may run as well.
        for name in wireplumber pipewire; do
            for process in $(pgrep -x "$name"); do
                tr '\\0' '\\n' <"/proc/$process/environ" \
                    | grep -qx "XDG_RUNTIME_DIR=$XDG_RUNTIME_DIR" && kill -9 "$process"
            done
        done
        until_true has '"lost"' && echo lost
        pipewire >"$XDG_RUNTIME_DIR/again.log" 2>&1 & first=$!
        until_true test -n "$(pw-cli info 0 2>/dev/null)"
        wireplumber >"$XDG_RUNTIME_DIR/policy.log" 2>&1 & second=$!
        made() { pw-cli create-node adapter "{ factory.name=support.null-audio-sink
            node.name=playback media.class=Audio/Sink audio.position=[FL,FR]
            object.linger=true }" >/dev/null 2>&1; }
        until_true made
        until_true has '"back"' && echo back
        until_true wired && echo wired again
        place() { sed -n 's/.*"position".*"seconds":\\([0-9]*\\).*/\\1/p' "$log" | tail -1; }
        before=$(place)
        moved() { [ "$(place)" -gt "$before" ]; }
        until_true moved && echo moved
        kill -INT %1; wait %1; echo "code $?"
        kill $second $first
        """

    @Test func theDaemonDiesAndComesBack() throws {
        let folder = try TemporaryFolder()
        let song = try folder.song(seconds: 60)
        let tests = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        let headless = tests.appendingPathComponent("../../../scripts/pipewire-headless")
        let run = try ChildProcess(
            headless.standardizedFileURL.path,
            ["bash", "-c", Self.script, Duet.path, song.path])
        _ = try run.waitForExit(limit: 90)
        let said = run.output.split(separator: "\n").map(String.init)
        let wanted = ["wired", "lost", "back", "wired again", "moved", "code 0"]
        #expect(said.filter { wanted.contains($0) } == wanted, "\(run.output) \(run.errors)")
    }
}
