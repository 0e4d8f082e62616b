import Foundation
import TestSupport
import Testing

@testable import DuetApp

/// Every key of the table, pressed on a real terminal, with what the screen shows after it.
@Suite(.serialized, .disabled(if: JackServer.isPipeWire)) struct KeyScreenTests {
    private let server: JackServer
    private let folder: TemporaryFolder

    init() throws {
        server = try JackServer()
        folder = try TemporaryFolder()
    }

    /// A key, and text that was not on the screen before it and is after it.
    private typealias Step = (key: Key, text: String)

    private func steps(_ kind: LiveKind) -> [Step] {
        let isMix = kind == .secondSong
        let other = isMix ? "second" : "mic"
        var steps: [Step] = [
            (" ", "‖ paused"), (.home, "‖ paused 0:00"), (.right, "‖ paused 0:05"),
            (.left, "‖ paused 0:00"), (.pageUp, "‖ paused 0:30"), (.pageDown, "‖ paused 0:00"),
            ("l", "loop from 0.0 s: once more"), (.right, "‖ paused 0:05"),
            ("l", " loop from 0.0 s to 5.0 s"), ("l", " loop off"),
            ("k", " song key -1"), ("K", " song key 0"),
            ("t", " song tempo 95 %"), ("T", " song tempo 100 %"),
            ("v", " song vocals remove 100 %"), ("v", " song vocals remove 0 %"),
            ("V", " song vocals mode plain"), ("o", " lyrics offset -100 ms"),
            ("O", " lyrics offset 0 ms"), ("m", " \(other) off"), ("M", " song off"),
            ("9", " song volume -1.0 dB"), ("0", " song volume 0.0 dB"),
            (",", " song pan -0.10"), (".", " song pan centre"),
            ("-", " \(other) volume -1.0 dB"), ("+", " \(other) volume 0.0 dB"),
            ("=", " \(other) volume 1.0 dB"), ("[", " \(other) pan -0.10"), ("s", " sides swapped"),
            ("]", " \(other) pan 0.20"), ("e", " song eq preset hip-hop"),
            ("E", " song eq preset flat"), (.tab, "▸\(other)"), (.shiftTab, "▸song"),
            (.up, " song volume 1.0 dB"), (.down, " song volume 0.0 dB"),
            (.shiftUp, " song volume 0.1 dB"), (.shiftDown, " song volume 0.0 dB"),
            (".", " song pan 0.10"), ("c", " song pan centre"), ("9", " song volume -1.0 dB"),
            (.backspace, " song volume 0.0 dB"), ("z", " everything reset"),
            ("z", " restored: "), ("d", " on JACK server \(server.name)"),
            (.escape, "  -48"), ("L", " this song has no lyrics"), (.escape, "  -48"),
            ("h", "swap sides"), ("?", "  -48"), ("P", " song 1 of "), (.escape, "  -48"),
            ("a", " add a song: _"), (.escape, " h help"),
        ]
        if !isMix {
            steps += [
                ("x", " mic preset natural"), ("X", " mic preset dry"), ("n", " after.mp3 "),
                ("b", " before.mp3 "),
            ]
        } else {
            steps += [("n", " no next song"), ("b", "▶ 0:00")]
        }
        if kind == .twoMicrophones {
            steps += [
                ("2", " mic2 off"), ("{", " mic2 pan -0.10"), ("}", " mic2 pan centre"),
                ("y", " mic2 preset natural"), ("Y", " mic2 preset dry"),
            ]
        }
        return steps + [("q", "stopped 0:0")]
    }

    @Test(arguments: LiveKind.allCases) func everyKeyIsSeen(kind: LiveKind) throws {
        let steps = steps(kind)
        #expect(Set(KeyTable(of: kind.plan).rows.map(\.key)) == Set(steps.map(\.key)))
        let songs = try ["before.mp3", "after.mp3"].map { try folder.song($0, seconds: 90).path }
        try expect(steps, after: kind.words(songs[0], songs[1]))
    }

    /// The page of the list has keys of its own.
    @Test func everyKeyOfTheListIsSeen() throws {
        let steps: [Step] = [
            ("P", "▸▶ 1  one.mp3"), (.down, "▸  2  two.mp3"), (.up, "▸▶ 1  one.mp3"),
            (.pageDown, "▸  3  three.mp3"), (.pageUp, "▸▶ 1  one.mp3"), (.end, "▸  3  three.mp3"),
            (.home, "▸▶ 1  one.mp3"), (.down, "▸  2  two.mp3"), (.shiftUp, "▸  1  two.mp3"),
            (.shiftDown, "▸  2  two.mp3"), ("j", "▸  3  two.mp3"), ("u", "▸  2  two.mp3"),
            (.enter, "▸▶ 2  two.mp3"), (.end, "▸  3  three.mp3"), (.delete, " removed: three.mp3"),
            (.home, "▸  1  one.mp3"), (.backspace, " removed: one.mp3"), ("a", " add a song: _"),
            (.escape, " enter play"), ("P", "  -48"), ("q", "stopped 0:0"),
        ]
        #expect(Set(KeyTable.list.rows.map(\.key)).isSubset(of: steps.map(\.key)))
        let songs = try ["one.mp3", "two.mp3", "three.mp3"].map {
            try folder.song($0, seconds: 90).path
        }
        try expect(steps, after: ["sing", "--mic", "none"] + songs)
    }

    /// Starts duet with `words`, presses the keys, and expects to see what each does.
    private func expect(_ steps: [Step], after words: [String]) throws {
        let words = words + ["-s", server.name, "-n", DuetProgram.clientName()]
        let tmux = try Tmux(
            "TERM=xterm-256color LANG=C.UTF-8 JACK_NO_START_SERVER=1 exec "
                + "\(DuetProgram.path) \(words.joined(separator: " "))")
        try tmux.wait(for: "▶ 0:01")
        for (number, step) in steps.enumerated() {
            func isShown(_ lines: [String]) -> Bool { lines.contains { $0.contains(step.text) } }
            try #expect(!isShown(tmux.lines()), "\(number): \(step)")
            try tmux.press(step.key)
            do {
                try tmux.wait(until: isShown)
            } catch {
                Issue.record("\(number): \(step): \(error)")
                return
            }
        }
    }
}
