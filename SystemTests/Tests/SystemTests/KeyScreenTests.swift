import Foundation
import Rig
import Testing

/// Every key of the table, pressed on a real terminal, with what the screen shows after it.
@Suite(.serialized, .disabled(if: JackServer.isPipeWire)) struct KeyScreenTests {
    private let stage: Stage

    init() throws { stage = try Stage() }

    /// A key, by its name in tmux where it is no character, and text that was not on the screen before
    /// it and is after it.
    private typealias Step = (key: String, text: String)

    private func steps(_ kind: LiveKind) -> [Step] {
        let isMix = kind == .secondSong
        let other = isMix ? "second" : "mic"
        var steps: [Step] = [
            ("p", "‖ paused"), ("p", "▶ 0:0"), (" ", "‖ paused"), ("Home", "‖ paused 0:00"),
            ("Right", "‖ paused 0:05"),
            ("Left", "‖ paused 0:00"), ("PPage", "‖ paused 0:30"), ("NPage", "‖ paused 0:00"),
            ("l", "loop starts at 0:00; press l at its end"), ("Right", "‖ paused 0:05"),
            ("l", " loop from 0.0 s to 5.0 s"), ("l", " loop off"),
            ("k", " song key -1"), ("K", " song key 0"),
            ("t", " song tempo 95 %"), ("T", " song tempo 100 %"),
            ("v", " vocals removed 100 %"), ("v", " vocals restored"),
            ("V", " song vocals mode plain"), ("o", " lyrics offset -100 ms"),
            ("O", " lyrics offset 0 ms"), ("W", " lrclib.net learns title"),
            ("m", " \(other) muted"), ("M", " song muted"),
            ("9", " song volume -1.0 dB"), ("0", " song volume 0.0 dB"),
            (",", " song 10 % left"), (".", " song centre"),
            ("-", " \(other) volume -1.0 dB"), ("+", " \(other) volume 0.0 dB"),
            ("=", " \(other) volume 1.0 dB"), ("[", " \(other) 10 % left"), ("s", " sides swapped"),
            ("]", " \(other) 20 % right"), ("e", " song eq preset hip-hop"),
            ("E", " song eq preset flat"), ("Tab", "▸\(other)"), ("BTab", "▸song"),
            ("Up", " song volume 1.0 dB"), ("Down", " song volume 0.0 dB"),
            ("S-Up", " song volume 0.1 dB"), ("S-Down", " song volume 0.0 dB"),
            ("S-Left", " song 10 % left"), ("S-Right", " song centre"),
            (".", " song 10 % right"), ("c", " song centre"), ("9", " song volume -1.0 dB"),
            ("BSpace", " song volume 0.0 dB"), ("z", " everything reset"),
            ("z", " restored: "), ("d", " on JACK server \(stage.server.name)"),
            ("Escape", "  -48"), ("d", " loudness: now "), ("Escape", "  -48"),
            ("L", " this song has no lyrics"), ("Escape", "  -48"),
            ("w", " this song has no words"),
            ("h", "swap sides"), ("?", "  -48"), ("P", " song 1 of "), ("Escape", "  -48"),
            ("a", " add a song: _"), ("Escape", " h help"),
            ("/", " find: _"), ("Escape", "  -48"),
        ]
        if !isMix {
            steps += [
                ("x", " mic preset natural"), ("X", " mic preset dry"), ("n", " after.mp3 "),
                ("b", " before.mp3 "), (">", " after.mp3 "), ("<", " before.mp3 "),
            ]
        } else {
            steps += [("n", " no next song"), ("b", "▶ 0:00")]
        }
        if kind == .oneMicrophone {
            steps += [("2", " no second microphone; start with --second-mic PORT")]
        }
        if kind == .fourMicrophones {
            steps += [
                ("3", " mic3 muted"), ("4", " mic4 muted"), ("BTab", "▸out"), ("BTab", "▸mic4"),
                ("j", " mic4 preset natural"), ("J", " mic4 preset dry"), ("Tab", "▸out"),
                ("Tab", "▸song"),
            ]
        }
        if kind == .twoMicrophones || kind == .fourMicrophones {
            steps += [
                ("2", " mic2 muted"), ("{", " mic2 10 % left"), ("}", " mic2 centre"),
                ("y", " mic2 preset natural"), ("Y", " mic2 preset dry"),
            ]
        }
        steps += [
            ("r", "● rec 0:0"), ("r", " take saved: "), ("D", " again to delete 20"),
            // The take is short, and over soon.
            ("R", "; R returns to the song"), ("A", " this song has no words"),
        ]
        // Of a list.
        if kind != .secondSong { steps += [("q", ": q again quits")] }
        steps += [("q", "stopped 0:0")]
        return steps
    }

    /// The keys of docs/interface.md, as tmux calls them, of the groups that a run has.
    private func keys(of kind: LiveKind) throws -> Set<String> {
        let names = [
            "space": " ", "←": "Left", "→": "Right", "↑": "Up", "↓": "Down", "shift-↑": "S-Up",
            "shift-↓": "S-Down", "shift-←": "S-Left", "shift-→": "S-Right", "pgup": "PPage",
            "pgdn": "NPage", "home": "Home", "tab": "Tab", "shift-tab": "BTab",
            "backspace": "BSpace", "esc": "Escape",
        ]
        let others =
            switch kind {
            case .oneMicrophone: ["Second microphone", "Other microphones"]
            case .twoMicrophones: ["Other microphones"]
            case .fourMicrophones: [String]()
            case .secondSong: ["Microphone", "Second microphone", "Other microphones"]
            }
        let lines = try Page.lines(below: "Keys").drop { !$0.hasPrefix("- Playing: ") }
            .prefix { $0.hasPrefix("- ") }
        let keys = lines.flatMap { line in
            let parts = line.dropFirst(2).components(separatedBy: ": ")
            let entries = others.contains(parts[0]) ? [] : parts[1].components(separatedBy: " · ")
            return entries.flatMap { entry in
                // The slash is a key of its own, too.
                guard !entry.hasPrefix("/ ") else { return ["/"] }
                let keys = entry.split(separator: " ")[0].split(separator: "/").map(String.init)
                let isShifted = keys[0].hasPrefix("shift-")
                return [keys[0]] + keys.dropFirst().map { isShifted ? "shift-\($0)" : $0 }
            }
        }
        // Those of a take that is played have a test of their own.
        return Set(keys.map { names[$0] ?? $0 }).subtracting([";", "'"])
    }

    @Test(arguments: LiveKind.allCases) func everyKeyIsSeen(kind: LiveKind) throws {
        let steps = steps(kind)
        let promised = try keys(of: kind)
        #expect(promised.count > 45 && promised.isSubset(of: steps.map(\.key)))
        let songs = try ["before.mp3", "after.mp3"].map { try stage.song($0, seconds: 90) }
        try expect(steps, after: kind.words(songs[0], songs[1]))
    }

    /// A song with words fills the screen with them, in letters of blocks; the mixer is there by a key, and the
    /// choice is remembered.
    @Test func theViewIsChosenAndRemembered() throws {
        let song = try stage.song("a.mp3", seconds: 90)
        try stage.folder.write("a.lrc", "[00:00.00]Every star\n[01:20.00]a story told\n")
        let home = ["XDG_STATE_HOME": stage.path("state")]
        let words = ["sing", "--mic", "none", song]
        let first = try stage.screen(words, environment: home)
        try first.wait(for: "█▐▌█▟▌")
        #expect(try !first.lines().contains { $0.contains("Every star") || $0.contains("-48") })
        try first.press("w")
        try first.wait {
            $0.contains { $0.contains("Every star") } && $0.contains { $0.contains("-48") }
        }
        try first.press("w")
        try first.wait(for: "█▐▌█▟▌")
        try first.press("w")
        try first.wait(for: "Every star")
        try first.press("q")
        try first.wait(for: "stopped 0:")
        let second = try stage.screen(words, environment: home)
        try second.wait {
            $0.contains { $0.contains("Every star") } && $0.contains { $0.contains("-48") }
        }
        try second.press("q")
    }

    /// The page of the list has keys of its own.
    @Test func everyKeyOfTheListIsSeen() throws {
        let steps: [Step] = [
            ("P", "▸▶ 1  one.mp3"), ("Down", "▸  2  two.mp3"), ("Up", "▸▶ 1  one.mp3"),
            ("NPage", "▸  3  three.mp3"), ("PPage", "▸▶ 1  one.mp3"), ("End", "▸  3  three.mp3"),
            ("Home", "▸▶ 1  one.mp3"), ("Down", "▸  2  two.mp3"), ("S-Up", "▸  1  two.mp3"),
            ("S-Down", "▸  2  two.mp3"), ("u", "▸  1  two.mp3"), ("u", "▸  2  two.mp3"),
            ("Enter", "▸▶ 2  two.mp3"), ("End", "▸  3  three.mp3"), ("DC", " removed: three.mp3"),
            ("Home", "▸  1  one.mp3"), ("BSpace", " removed: one.mp3"), ("a", " add a song: _"),
            ("Escape", " enter play"), ("P", "  -48"), ("q", "stopped 0:0"),
        ]
        let songs = try ["one.mp3", "two.mp3", "three.mp3"].map { try stage.song($0, seconds: 90) }
        try expect(steps, after: ["sing", "--mic", "none"] + songs)
    }

    /// Starts duet with `words`, presses the keys, and expects to see what each does.
    private func expect(_ steps: [Step], after words: [String]) throws {
        let tmux = try stage.screen(
            words, environment: ["TERM": "xterm-256color", "LANG": "C.UTF-8"])
        try tmux.wait(for: "▶ 0:01")
        for (number, step) in steps.enumerated() {
            func isShown(_ lines: [String]) -> Bool { lines.contains { $0.contains(step.text) } }
            try #expect(!isShown(tmux.lines()), "\(number): \(step)")
            if step.key.count == 1 { try tmux.type(step.key) } else { try tmux.press(step.key) }
            do {
                try tmux.wait(until: isShown)
            } catch {
                Issue.record("\(number): \(step): \(error)")
                return
            }
        }
    }
}
