import AudioMedia
import Foundation
import TestSupport
import Testing

@testable import DuetApp

/// The list of takes.
@Suite struct ListedTakeTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// Moves a take into the folder.
    private func add(
        _ name: String, started: String, _ second: MixPlan.Second = .mic(channelCount: 1),
        _ change: (inout Take) -> Void = { _ in }
    ) throws {
        var made = try HandmadeTake(second: second, lead: 480)
        made.take.started = started
        made.take.frames = 48_000 * 75
        change(&made.take)
        for file in Take.files(of: second) {
            try made.write(
                file.name,
                Array(repeating: [Float](repeating: 0, count: 4800), count: file.channelCount))
        }
        try made.save()
        try FileManager.default.copyItem(
            atPath: made.path, toPath: folder.url.appendingPathComponent(name).path)
    }

    private func all() throws -> [ListedTake] {
        try ListedTake.all(in: FileName(folder.url.path), isGiven: true)
    }

    /// The newest is last, whatever users call it; what is bad is among them, with what is wrong.
    @Test func takesAreListedByAge() throws {
        try add("2026-11-27 010", started: "2026-11-27T20:15:00Z", .mics(2)) {
            $0.songs = [
                .init(address: "/music/Nu \u{1B}[31m.mp3"), .init(address: "x", title: "É"),
                .init(address: "x", title: "É"),
            ]
        }
        try add("2026-11-27 009", started: "2026-11-27T19:15:00Z", .nothing)
        try add("party", started: "2026-12-24T19:15:00Z") { $0.isComplete = false }
        try folder.write("2026-11-28 011", "a file")
        try add("2026-11-29 012", started: "2026-11-29T00:00:00Z")
        try FileManager.default.removeItem(
            atPath: folder.url.appendingPathComponent("2026-11-29 012/voice.wav").path)
        try folder.write("notes.txt", "")
        let takes = try all()
        #expect(
            takes.map(\.cells.first) == [
                "2026-11-27 009", "2026-11-27 010", "2026-11-28 011", "2026-11-29 012", "party",
            ])
        let cells = takes.map(\.cells)
        #expect(cells[0][2...] == ["1:15", "0 voices", "no song"])
        #expect(cells[1][2...3] == ["1:15", "2 voices"])
        #expect(!cells[1][4].contains("\u{1B}") && cells[1][4].hasSuffix(".mp3, É"))
        #expect(cells[2].last?.contains("there is no such file") == true)
        #expect(cells[3].last?.contains("voice.wav: the file is missing") == true)
        // A take that a crash has ended is as long as its song.
        #expect(cells[4][2...] == ["0:00", "1 voice", "unfinished: no song"])
        #expect(takes[4].seconds == Double(4800 - 480) / 48_000)
        #expect(takes[4].json["complete"] == .boolean(false))
        #expect(takes[2].json["problem"]?.text?.isEmpty == false)
        #expect(takes[1].json["problem"] == .null)
    }

    @Test func aTakeIsListedByItself() throws {
        try add("one", started: "")
        let path = FileName(folder.url.appendingPathComponent("one").path)
        #expect(try ListedTake.all(in: path, isGiven: true).map(\.folder) == [path])
    }

    @Test func aFolderThatIsNotThereHasNoTakes() throws {
        let path = FileName(folder.url.path + "/none")
        #expect(try ListedTake.all(in: path, isGiven: false).isEmpty)
        let error = #expect(throws: DuetError.self) {
            try ListedTake.all(in: path, isGiven: true)
        }
        #expect(error?.hint.isEmpty == false)
    }
}
