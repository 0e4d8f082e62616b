import AudioMedia
import Foundation
import TestSupport
import Testing

@testable import DuetApp

/// A take on the disk.
@Suite struct StoredTakeTests {
    private func folder() throws -> HandmadeTake {
        var folder = try HandmadeTake(lead: 300)
        folder.take.frames = 4800
        try folder.write("song.wav", [[0, 1], [0, 0.5]])
        try folder.write("voice.wav", [[0.25]])
        try folder.save()
        return folder
    }

    @Test func readsAFolderAndTheFileInIt() throws {
        let folder = try folder()
        for name in ["", "/", "/take.json"] {
            #expect(StoredTake.isOne(folder.path + name))
            let stored = try StoredTake(folder.path + name)
            #expect(stored.folder == FileName(folder.path))
            #expect(stored.take == folder.take)
            #expect(stored.has("song.wav") && !stored.has("mix.wav"))
            let head = try stored.head(of: "song.wav")
            #expect((head.sampleRate, head.channelCount, head.frameCount) == (48_000, 2, 2))
        }
        #expect(!StoredTake.isOne("-"))
        #expect(!StoredTake.isOne("https://example.org/take.json"))
        #expect(!StoredTake.isOne(folder.path + "/song.wav"))
    }

    /// `FOLDER/last` is the take that began last, whatever it is called.
    @Test func theLastTakeNeedsNoName() throws {
        let place = try TemporaryFolder()
        let last = place.url.path + "/last"
        #expect(StoredTake.isOne(last))
        let none = #expect(throws: DuetError.self) { try StoredTake(last) }
        #expect(none?.line.contains("no takes in \(place.url.path);") == true)
        let missing = #expect(throws: DuetError.self) { try StoredTake("/nosuch/last") }
        #expect(missing?.line.contains("cannot list the takes in /nosuch: ") == true)
        for (name, time) in [
            ("2026-11-27 002", "20:00"), ("the best", "22:00"), ("2026-11-27 003", "21:00"),
        ] {
            var made = try folder()
            made.take.started = "2026-11-27T\(time):00Z"
            try made.save()
            try FileManager.default.copyItem(atPath: made.path, toPath: "\(place.url.path)/\(name)")
        }
        #expect(try StoredTake(last).folder.last == "the best")
        // What is left of a take that broke off before it had sound is none.
        let silent = try folder()
        try silent.write("song.wav", [[], []])
        for name in ["2026-11-27 004", "2026-11-27 005"] {
            try FileManager.default.createDirectory(
                atPath: "\(place.url.path)/\(name)", withIntermediateDirectories: true)
        }
        try FileManager.default.copyItem(
            atPath: silent.path + "/song.wav", toPath: "\(place.url.path)/2026-11-27 005/song.wav")
        var begun = try folder()
        (begun.take.isComplete, begun.take.lead) = (false, 100)
        try begun.write(
            "song.wav", [Array(repeating: 0, count: 100), Array(repeating: 0, count: 100)])
        try begun.save()
        try FileManager.default.copyItem(
            atPath: begun.path, toPath: "\(place.url.path)/2026-11-27 006")
        #expect(try StoredTake(last).folder.last == "the best")
        // A damaged take that was renamed is as old as any; one with the highest number is the last.
        for (name, isLast) in [("worst", false), ("2026-11-27 007", true)] {
            let path = "\(place.url.path)/\(name)"
            try FileManager.default.createDirectory(
                atPath: path, withIntermediateDirectories: true)
            try place.write("\(name)/take.json", "{")
            try FileManager.default.copyItem(
                atPath: begun.path + "/song.wav", toPath: path + "/song.wav")
            let error = isLast ? #expect(throws: DuetError.self) { try StoredTake(last) } : nil
            #expect(error?.line.contains("\(name)/take.json") ?? true)
            if !isLast { #expect(try StoredTake(last).folder.last == "the best") }
        }
        // A file of this name is what was meant.
        try place.write("last", "")
        #expect(!StoredTake.isOne(last))
    }

    /// Who stands in a take's folder sees its name, and another take goes beside it.
    @Test func aTakeHasItsOwnNameWhereUsersGiveNone() throws {
        let folder = try folder()
        try FileManager.default.createDirectory(
            atPath: folder.path + "/parts", withIntermediateDirectories: true)
        let name = folder.folder.url.lastPathComponent
        for path in ["/.", "/./", "/parts/..", "/./take.json"] {
            let stored = try StoredTake(folder.path + path)
            #expect(stored.folder.last == FileName(name), "\(path)")
            let played = try PlayedTake(stored, isBacking: false)
            #expect(played.title == "take \(name)", "\(path)")
            #expect(played.place.bytes == FileName(folder.path).folder.bytes.dropLast(), "\(path)")
            guard !path.hasSuffix("json") else { continue }
            let listed = try ListedTake.all(in: FileName(folder.path + path), isGiven: true)
            #expect(listed.first?.cells.first == name, "\(path)")
        }
    }

    /// What is wrong is said with what to do; nothing is changed.
    @Test func whatIsWrongIsNamed() throws {
        let folder = try folder()
        func refused(_ text: String, _ work: () throws -> Void) {
            let before = contents(of: folder)
            let error = #expect(throws: DuetError.self) { try work() }
            #expect(error?.line.contains(text) == true, "\(error?.line ?? "")")
            #expect(error?.hint.isEmpty == false)
            #expect(contents(of: folder) == before)
        }
        let stored = try StoredTake(folder.path)
        refused("the file is missing") { _ = try stored.head(of: "mix.wav") }
        try folder.write("mix.wav", [[0], [0]], rate: 44_100)
        refused("44100 Hz, and take.json says 48000 Hz") { _ = try stored.head(of: "mix.wav") }
        try folder.folder.write("mix.wav", "RIFF, or not")
        refused("mix.wav") { _ = try stored.head(of: "mix.wav") }
        #expect(mkfifo(folder.path + "/voice2.wav", 0o600) == 0)
        refused("not a regular file") { _ = try stored.head(of: "voice2.wav") }
        let text = folder.take.text
        try folder.folder.write("take.json", String(text.prefix(text.count / 2)))
        refused("line ") { _ = try StoredTake(folder.path) }
        try folder.folder.write("take.json", text.replacing("\"rate\": 48000", with: "\"rate\": 1"))
        refused("\"rate\" must be a whole number, 1000…1000000; restore") {
            _ = try StoredTake(folder.path)
        }
        try folder.folder.write(
            "take.json", text.replacing("\"version\": 1", with: "\"version\": 2"))
        refused("install that version") { _ = try StoredTake(folder.path) }
        try folder.folder.write("take.json", String(repeating: " ", count: Take.largest + 1))
        refused("larger than 16 MiB") { _ = try StoredTake(folder.path) }
        try FileManager.default.removeItem(atPath: folder.path + "/take.json")
        refused("no such file; give the folder of a take") { _ = try StoredTake(folder.path) }
        refused("not on this machine") { _ = try StoredTake("https://example.org/take") }
    }

    @Test func keepsTheOffset() throws {
        var folder = try folder()
        try StoredTake(folder.path).keep(offset: -0.0125)
        folder.take.offset = -0.0125
        #expect(try StoredTake(folder.path).take == folder.take)
        #expect(contents(of: folder).count == 3)
    }

    /// What others have written since it was read stays, as they have written it, and for whom.
    @Test(arguments: [
        ("\"offset\": 0", "\"offset\": 0.005"),
        ("\"offset\"\n : -0.25 ", "\"offset\"\n : 0.005 "),
        ("\"offset\": 0.125, \"offset\": 1", "\"offset\": 0.125, \"offset\": 0.005"),
    ]) func theOffsetIsAllThatIsChanged(before: String, after: String) throws {
        let folder = try folder()
        let stored = try StoredTake(folder.path)
        func text(_ offset: String) -> String {
            folder.take.text.replacing("\"offset\": 0", with: offset).replacing(
                "\"songs\": []",
                with: #""note": {"offset": 2, "}\\\"": ["é\u00e9", "offset", 1e-9]}, "songs" : []"#)
        }
        try folder.folder.write("take.json", text(before))
        let file = folder.path + "/take.json"
        #expect(chmod(file, 0o644) == 0)
        try stored.keep(offset: 0.005)
        #expect(try String(contentsOfFile: file, encoding: .utf8) == text(after))
        let facts = try FileManager.default.attributesOfItem(atPath: file)
        #expect(facts[.posixPermissions] as? Int == 0o644)
        // One that was taken away is there again.
        try folder.folder.write(
            "take.json", folder.take.text.replacing("  \"offset\": 0,\n", with: ""))
        try stored.keep(offset: 0.005)
        #expect(try StoredTake(folder.path).take.offset == 0.005)
    }

    @Test func aFileThatWasDamagedSinceStaysAsItIs() throws {
        let folder = try folder()
        let stored = try StoredTake(folder.path)
        try folder.folder.write("take.json", "{\"offset\": 0")
        let before = contents(of: folder)
        #expect(throws: DuetError.self) { try stored.keep(offset: 0.005) }
        #expect(contents(of: folder) == before)
    }

    private func contents(of folder: HandmadeTake) -> [String: Data?] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        return Dictionary(
            uniqueKeysWithValues: names.map {
                (
                    $0,
                    $0 == "voice2.wav"
                        ? nil
                        : FileManager.default.contents(
                            atPath: folder.path + "/" + $0)
                )
            })
    }
}
