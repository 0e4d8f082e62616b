import Foundation
import Rig
import Testing

/// Lyrics as users of the program see them, with a song and a server.
@Suite(.serialized) struct LiveLyricsTests {
    private let stage: Stage

    init() throws { stage = try Stage(period: 1024) }

    /// A song of 60 s, with a line in each second, which is its name.
    private func song(lyrics: String? = "song.lrc") throws -> String {
        let lines = (1..<60).map { String(format: "[00:%02d.00]line %d", $0, $0) }
        if let lyrics { try stage.folder.write(lyrics, lines.joined(separator: "\n")) }
        return try stage.folder.song("song.mp3", seconds: 60).path
    }

    /// What the events say of the lyrics.
    private func told(_ duet: Duet) throws -> [Events.Lyrics] { try duet.all(Events.Lyrics.self) }

    /// Expects that each line was told while it was heard, and not late: by its own time in the song, and
    /// by the places in the song that the events say.
    ///
    /// A line's place is heard, those of other events are rendered, which is JACK's latency earlier: the
    /// line's place lies between the places that were told before and after it, less the latency.
    private func expectInTime(
        _ duet: Duet, from first: Int = 0, offset: Double = 0, latency: Double = 0,
        _ location: SourceLocation = #_sourceLocation
    ) throws {
        // Of `position` only the newest is written, perhaps behind events that came after it.
        let events = try duet.told.enumerated().sorted {
            ($0.element.time, $0.offset) < ($1.element.time, $1.offset)
        }.map(\.element)
        let lines = try told(duet).dropFirst(first)
        var rendered = 0.0
        var heard: [Events.Lyrics] = []
        for event in events {
            var place: Double?
            switch event {
            case let event as Events.Seeked: (rendered, heard) = (event.seconds, [])
            case let event as Events.Position: place = event.seconds
            case let event as Events.Lyrics where lines.contains { $0.time == event.time }:
                #expect(
                    event.seconds > rendered - latency - Self.slack, "\(event) after \(rendered)",
                    sourceLocation: location)
                heard.append(event)
            default: break
            }
            guard let place else { continue }
            for line in heard {
                #expect(
                    line.seconds < place - latency + Self.slack, "\(line) before \(place)",
                    sourceLocation: location)
            }
            (rendered, heard) = (place, [])
        }
        let late = lines.compactMap { line in
            line.lineNumber.map { line.seconds - Double($0 + 1) - offset }
        }
        // The line that is told is the one whose second it is.
        #expect(late.allSatisfy { (0..<1).contains($0) }, "\(late)", sourceLocation: location)
        if late.contains(where: { $0 >= 0.25 }) { try duet.excuse("lines \(late) s late") }
    }

    /// How far the place that is heard may be ahead of the song where the server misses cycles
    /// (`HeardPlace`), and a cycle.
    private static let slack = 0.25 + 0.05

    private func waitForLines(_ count: Int, _ duet: Duet) throws {
        try duet.waitFor { $0.all(Events.Lyrics.self).count >= count }
    }

    /// The numbers of the lines in the order in which they were told. Where the server stands still for
    /// a quarter of a second or longer, as on a busy machine, duet goes back to the place that is heard:
    /// it tells the line before once more, and then the line that it had told too early. These two do
    /// not count here, once.
    private static func order(_ events: [any Event]) -> [Int] {
        // Before the first line there is none.
        var order = [-1]
        var (again, wentBack) = (Int?.none, false)
        for event in events.all(Events.Lyrics.self) {
            let number = event.lineNumber ?? -1
            if let before = again {
                again = nil
                if number == before + 1 { continue }
                order.append(before)
            } else if !wentBack, order.suffix(2).elementsEqual([number, number + 1]) {
                (again, wentBack) = (number, true)
                continue
            }
            order.append(number)
        }
        return Array(order.dropFirst())
    }

    /// Waits for `count` lines in a row, and returns them as `order` does.
    private func order(_ count: Int, _ duet: Duet) throws -> [Int] {
        try duet.waitFor { Self.order($0).count >= count }
        return Array(Self.order(try duet.told).prefix(count))
    }

    /// Also those of the first second, before any place in the song is told.
    @Test func theFirstLinesAreTold() throws {
        let lines = ["[00:00.00]zero", "[00:00.30]one", "[00:00.60]two", "[00:00.90]three"]
        try stage.folder.write("first.lrc", lines.joined(separator: "\n"))
        let duet = try stage.start([
            "play", try stage.folder.song("first.mp3", seconds: 4).path,
        ])
        #expect(try order(4, duet) == [0, 1, 2, 3])
        for line in try told(duet).prefix(3) {
            #expect(line.seconds < 0.3 * Double((line.lineNumber ?? 9) + 1) + Self.slack, "\(line)")
        }
        duet.child.type("q")
        #expect(try duet.end().exit == .code(0))
    }

    @Test func linesAreToldWhenTheyAreHeard() throws {
        let duet = try stage.start(["play", try song()])
        #expect(try order(4, duet) == [0, 1, 2, 3])
        #expect(try told(duet).allSatisfy { $0.line == $0.lineNumber.map { "line \($0 + 1)" } })
        try expectInTime(duet)
        // Half a minute on, and back to the start.
        duet.child.type("\u{1B}[5~")
        try duet.wait(for: Events.Lyrics.self) { $0.lineNumber ?? 0 > 28 }
        let jump = try #require(try told(duet).firstIndex { ($0.lineNumber ?? 0) > 28 })
        #expect(try told(duet)[jump].seconds < 36)
        try duet.wait(for: Events.Seeked.self, after: { duet.child.type("\u{1B}[H") })
        try duet.waitFor { $0.all(Events.Lyrics.self).last?.line == "line 2" }
        let after = try #require(try told(duet).lastIndex { $0.lineNumber ?? 99 > 28 })
        #expect(try told(duet)[(after + 1)...].first?.line != "line 2")
        try expectInTime(duet, from: after + 2)
        try duet.quit()
    }

    /// A program that plays what it gets two seconds later. Not under PipeWire, which does not pass the
    /// latency on.
    @Test(.disabled(if: JackServer.isPipeWire)) func theWayToTheEarCounts() throws {
        let name = Duet.clientName()
        let amplifier = try Witness(
            ["--name", name, "--record", "1", "--latency", "96000", "--frames", "100000000"],
            server: stage.server)
        let duet = try stage.start(["play", try song(), "--out", "\(name):in_1"])
        try waitForLines(4, duet)
        try duet.waitForNext(Events.Position.self)
        try expectInTime(duet, latency: 2)
        try duet.quit()
        withExtendedLifetime(amplifier) {}
    }

    @Test func aLoopBringsItsLines() throws {
        let duet = try stage.start(
            ["play", try song(), "--start-at", "9.6"], takesCommands: true, streams: .pipes)
        try duet.wait(for: Events.Playing.self)
        let control = try stage.commands()
        _ = try control.ask("set /transport/loop/a 10.5")
        _ = try control.ask("set /transport/loop/b 12.5")
        // On a busy machine the line at which the song begins may be over before it is looked for.
        let numbers = try order(9, duet).map { $0 + 1 }.drop { $0 == 9 }
        #expect(numbers.prefix(8) == [10, 11, 12, 10, 11, 12, 10, 11])
        // One may be told once more, in its middle: see `order`.
        let others = try told(duet).filter { line in
            line.lineNumber == 9 && line.seconds >= 10.25 && !(10.5..<10.75).contains(line.seconds)
        }
        #expect(others.count <= 1, "\(others)")
        _ = try control.ask("trigger /quit")
        #expect(try duet.child.waitForExit() == .code(0))
    }

    /// At 80 % a line lasts 1.25 s; the places are the song's own. The offset is in seconds of the
    /// song, too.
    @Test func aSlowSongHasItsLinesInTime() throws {
        let duet = try stage.start(
            ["play", try song(), "--tempo", "80", "--set", "/lyrics/offset=0.5"],
            takesCommands: true, streams: .pipes)
        #expect(try order(4, duet) == [0, 1, 2, 3])
        try expectInTime(duet, offset: 0.5)
        let control = try stage.commands()
        #expect(try control.ask("adjust /lyrics/offset -0.1") == "ok /lyrics/offset 0.4")
        #expect(try control.ask("set /lyrics/offset -300ms") == "ok /lyrics/offset -0.3")
        let changed = try told(duet).count
        try waitForLines(changed + 3, duet)
        try expectInTime(duet, from: changed + 1, offset: -0.3)
        #expect(try control.ask("set /lyrics/offset 11").hasPrefix("error"))
        _ = try control.ask("trigger /quit")
        #expect(try duet.child.waitForExit() == .code(0))
    }

    @Test func wordsAreTold() throws {
        let words = "[00:01.00]<00:01.00>Oh <00:01.50>say<00:02.00>\n[00:02.50]\n[00:03.00]see"
        let named = try stage.folder.write("words.lrc", words)
        let web = try FileServer(root: stage.folder.url)
        for place in [named.path, web.url("words.lrc")] {
            let duet = try Duet([
                "play", try song(lyrics: nil), "-s", stage.server.name, "-n", Duet.clientName(),
                "--json", "--lyrics", place, "--duration", "4",
            ])
            #expect(try duet.child.waitForExit() == .code(0))
            let lines = try duet.all(Events.Lyrics.self)
            #expect(lines.map { $0.line } == ["Oh say", "Oh say", "", "see"])
            #expect(lines.map { $0.word } == ["Oh", "say", nil, nil])
            try FileManager.default.removeItem(atPath: stage.path("song.mp3"))
        }
    }

    /// Neither lyrics that are not there nor such as have no times keep a song from playing.
    @Test(arguments: [
        ("missing.lrc", nil, "cannot open"), ("plain.lrc", "no\ntimes", "have no times"),
    ])
    func lyricsThatCannotBeShown(name: String, text: String?, warning: String) throws {
        if let text { try stage.folder.write(name, text) }
        let duet = try stage.start(
            ["play", try song(lyrics: nil), "--lyrics", stage.path(name), "--duration", "2"],
            streams: .pipes)
        #expect(try duet.child.waitForExit() == .code(0))
        #expect(try duet.first(Events.Playing.self) != nil && duet.first(Events.Lyrics.self) == nil)
        let messages = try duet.all(Events.Warning.self).map(\.message)
        #expect(messages.contains { $0.contains(warning) }, "\(messages)")
    }

    /// The line stands below the status.
    @Test func theLineIsShown() throws {
        let duet = try stage.start(["play", try song()] + Duet.statusLine, events: false)
        try duet.child.waitForOutput { $0.contains("line 2\u{1B}[J") }
        let lines = duet.child.output.split(whereSeparator: \.isNewline)
        let line = try #require(lines.firstIndex { $0.hasPrefix("line 1\u{1B}[J") })
        #expect(lines[line - 1].contains("playing 0:0"))
        duet.child.type("q")
        #expect(try duet.child.waitForExit() == .code(0))
    }

    /// A disk that does not answer keeps nobody from the keys, nor the song from playing.
    @Test func lyricsOnADiskThatHangs() throws {
        let disk = stage.folder.url.appendingPathComponent("disk")
        try FileManager.default.createDirectory(at: disk, withIntermediateDirectories: true)
        try stage.folder.write("disk/words.lrc", "[00:00.00]at last")
        let preload = try Preload("hold-disk", in: stage.folder)
        try preload.begin()
        let duet = try stage.start(
            [
                "play", try song(lyrics: nil), "--lyrics",
                disk.appendingPathComponent("words.lrc").path,
            ], environment: preload.environment)
        try duet.wait(for: Events.Playing.self)
        #expect(poll { preload.holds })
        try duet.wait(for: Events.Parameter.self, after: { duet.child.type("O") })
        try duet.waitForNext(Events.Position.self)
        #expect(try duet.first(Events.Lyrics.self) == nil)
        preload.release()
        #expect(try duet.wait(for: Events.Lyrics.self).line == "at last")
        try duet.quit()
    }

    /// Old words are read in the encoding that the user names; short ones are not guessed.
    @Test func theirEncodingCanBeNamed() throws {
        let words = stage.folder.url.appendingPathComponent("song.lrc")
        let text = try #require("[00:00.00]Катюша".data(using: .windowsCP1251))
        try text.write(to: words)
        let song = try song(lyrics: nil)
        for (arguments, line) in [([], "Êàòþøà"), (["--text-encoding=CP1251"], "Катюша")] {
            let duet = try stage.start(["play", song] + arguments)
            #expect(try duet.wait(for: Events.Lyrics.self).line == line)
            try duet.quit()
        }
    }
}
