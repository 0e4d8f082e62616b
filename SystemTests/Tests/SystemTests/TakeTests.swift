import Foundation
import Rig
import Testing

/// What `--record` keeps of a run.
@Suite(.serialized, .disabled(if: JackServer.isPipeWire)) struct TakeTests {
    private let stage: Stage
    private let takes: String

    init() throws {
        stage = try Stage(period: 1024)
        takes = stage.path("takes")
    }

    /// Waits until the song has played so many seconds more.
    private func wait(seconds: Double, of duet: Duet) throws {
        let start = try duet.waitForNext(Events.Position.self).seconds
        try duet.wait(for: Events.Position.self) { $0.seconds >= start + seconds }
    }

    private func waitForTake(of duet: Duet) throws {
        try duet.wait(for: Events.Take.self) { $0.state == "recording" }
    }

    private func wait(for state: String, of duet: Duet, after action: () throws -> Void) throws {
        try duet.wait(for: Events.Take.self, after: action) { $0.state == state }
    }

    /// The song's sound returns through a cable to the microphone, as late as measured or declared: in
    /// the files they lie on each other, to the frame and to the bit.
    @Test(arguments: [false, true]) func songAndVoiceAreAligned(isMeasured: Bool) throws {
        let song = try NoiseSong(in: stage.folder, seconds: 60)
        let delay = 777
        // One that declares nothing wants to be measured.
        let cable =
            try isMeasured
            ? Witness(
                [
                    "--name", "cable", "--pass", "2", "--delay", "\(delay)", "--frames", "1",
                    "--wait",
                ], server: stage.server)
            : Witness(cable: "cable", delay: delay, server: stage.server)
        let ports = ["--out", "^cable:", "--mic", "^cable:"]
        let state = ["XDG_STATE_HOME": stage.path("state")] as [String: String?]
        if isMeasured {
            let doctor = try Duet.run(
                ["doctor", "--measure", "-s", stage.server.name] + ports, environment: state)
            try #require(doctor.output.contains("use these \(delay + 1024) frames\n"))
        }
        let duet = try stage.start(
            ["sing", song.path, "--record=\(takes)", "--mic-volume", "0", "--no-replay-gain"]
                + ports, environment: state)
        let begun = try duet.wait(for: Events.Take.self)
        #expect(begun.state == "recording")
        #expect(begun.lead == delay + 1024)
        #expect(begun.leadFrom == (isMeasured ? "measured" : "reported"))
        try wait(seconds: 3, of: duet)
        try duet.quit()
        try cable.end()

        let saved = try #require(try duet.all(Events.Take.self).last)
        #expect(saved.state == "saved")
        let take = try #require(try RecordedTake.all(in: takes).first)
        #expect(saved.folder == take.folder.path && begun.folder == take.folder.path)
        #expect(try take.names == ["song.wav", "voice.wav", "mix.wav", "take.json"])
        let facts = try take.facts
        #expect(facts.complete && facts.gaps.isEmpty)
        #expect((facts.rate, facts.period) == (48_000, 1024))
        #expect((facts.lead, facts.leadFrom) == (begun.lead ?? 0, begun.leadFrom ?? ""))
        #expect(facts.firstFrame == 0 && facts.notAsHeard == [])

        let recorded = try take.channels("song.wav")
        let mix = try take.channels("mix.wav")
        let voice = try take.channels("voice.wav")
        #expect(recorded.count == 2 && mix.count == 2 && voice.count == 1)
        #expect(voice[0].count == facts.frames && facts.frames > 3 * 48_000)
        for file in recorded + mix {
            #expect(file.count == facts.frames + facts.lead)
            #expect(file[..<facts.lead].allSatisfy { $0 == 0 })
        }
        // The microphone fades in within a second of the client's start, which comes before the take.
        let faded = 52_800
        #expect(
            firstDifference(voice[0][faded...], recorded[0][faded..<voice[0].count]) == nil)
        #expect(firstDifference(Array(mix[0][faded...]), Array(recorded[0][faded...])) == nil)
        #expect(firstDifference(Array(mix[1][faded...]), Array(recorded[1][faded...])) == nil)
        #expect(recorded[0][faded...].contains { $0 != 0 })
    }

    /// Files of this user alone, each take in a folder that was not there.
    @Test func eachTakeHasAFolderOfItsOwn() throws {
        let old = takes + "/2020-01-01 041"
        try FileManager.default.createDirectory(atPath: old, withIntermediateDirectories: true)
        try Data("mine".utf8).write(to: URL(fileURLWithPath: old + "/song.wav"))
        let duet = try stage.start(
            ["sing", stage.song(), "--mic", "none", "--record=\(takes)"], isHeard: false)
        try waitForTake(of: duet)
        for _ in 0..<2 {
            try wait(seconds: 0.5, of: duet)
            try wait(for: "saved", of: duet) { duet.child.type("r") }
            try wait(for: "recording", of: duet) { duet.child.type("r") }
        }
        try wait(seconds: 0.5, of: duet)
        try duet.quit()
        let found = try RecordedTake.all(in: takes)
        #expect(
            found.map { String($0.folder.lastPathComponent.suffix(4)) }
                == [" 041", " 042", " 043", " 044"])
        #expect(
            try Data(contentsOf: found[0].folder.appendingPathComponent("song.wav"))
                == Data("mine".utf8))
        func mode(_ url: URL) throws -> Int? {
            try FileManager.default.attributesOfItem(atPath: url.path)[.posixPermissions] as? Int
        }
        for take in found.dropFirst() {
            #expect(try take.names == ["song.wav", "voice.wav", "mix.wav", "take.json"])
            #expect(try take.facts.complete && take.facts.frames > 0)
            #expect(try (take.facts.firstFrame == 0) == (take.folder == found[1].folder))
            #expect(try mode(take.folder) == 0o700)
            for name in try take.names {
                #expect(try mode(take.folder.appendingPathComponent(name)) == 0o600, "\(name)")
            }
        }
    }

    @Test(arguments: [
        (["play"], ["song.wav": 2, "mix.wav": 2]),
        (
            ["sing", "--mic", "none", "--stereo-mic"],
            ["song.wav": 2, "voice.wav": 2, "mix.wav": 2]
        ),
        (
            ["sing", "--mic", "none", "--second-mic", "none"],
            ["song.wav": 2, "voice.wav": 1, "voice2.wav": 1, "mix.wav": 2]
        ),
        (["mix"], ["song.wav": 2, "second.wav": 2, "mix.wav": 2]),
    ]) func aCommandRecordsItsSources(words: [String], files: [String: Int]) throws {
        let song = try stage.song()
        let songs = words == ["mix"] ? [song, try stage.song("other.mp3")] : [song]
        let duet = try stage.start(
            [words[0]] + songs + words.dropFirst() + ["--record=\(takes)"], isHeard: false)
        try waitForTake(of: duet)
        try wait(seconds: 0.5, of: duet)
        try duet.quit()
        let take = try #require(try RecordedTake.all(in: takes).first)
        let facts = try take.facts
        #expect(Set(facts.files) == Set(files.keys))
        #expect(try take.names == Set(files.keys).union(["take.json"]))
        for (name, count) in files {
            let channels = try take.channels(name)
            #expect(channels.count == count, "\(name)")
            let lead = name.hasPrefix("voice") ? 0 : facts.lead
            #expect(channels.allSatisfy { $0.count == facts.frames + lead }, "\(name)")
        }
    }

    /// Takes that come and go change no bit of what is heard, and who listens ends no take.
    @Test func recordingIsNotHeard() throws {
        let song = try NoiseSong(in: stage.folder, seconds: 60)
        let duet = try stage.start([
            "sing", song.path, "--mic", "none", "--record=\(takes)", "--no-replay-gain", "--levels",
        ])
        try waitForTake(of: duet)
        let witness = try Witness(
            recording: 100_000_000, of: stage.client, server: stage.server)
        try duet.wait(for: Events.Connected.self) { $0.to.hasSuffix(":in_2") }
        try duet.waitForNext(Events.Levels.self)
        #expect(try duet.all(Events.Take.self).count == 1)
        for _ in 0..<5 {
            try duet.waitForNext(Events.Levels.self)
            try wait(for: "saved", of: duet) { duet.child.type("r") }
            try duet.waitForNext(Events.Levels.self)
            try wait(for: "recording", of: duet) { duet.child.type("r") }
        }
        let recording = try witness.stop()
        #expect(recording.channels[0].count > 10 * 4096)
        try song.expectUnbroken(recording, of: duet)
        try duet.quit()
    }

    /// A change of the mix is in take.json, at the frame at which the mix has it.
    @Test func changesAreNotedAtTheirFrame() throws {
        let song = try NoiseSong(in: stage.folder, seconds: 60)
        let duet = try stage.start(
            ["sing", song.path, "--mic", "none", "--record=\(takes)", "--no-replay-gain"],
            isHeard: false, takesCommands: true)
        try waitForTake(of: duet)
        let client = try stage.commands()
        let volumes: [Float] = [1, 0.5, 0.125, 0.75]
        for volume in volumes.dropFirst() {
            try wait(seconds: 0.5, of: duet)
            #expect(try client.ask("set /song/volume \(volume)") == "ok /song/volume \(volume)")
        }
        try wait(seconds: 0.5, of: duet)
        try duet.quit()
        let take = try #require(try RecordedTake.all(in: takes).first)
        let facts = try take.facts
        let changes = facts.changes.filter { $0.address == "/song/volume" }
        try #require(changes.count == volumes.count - 1)
        let (recorded, mix) = (try take.channels("song.wav")[0], try take.channels("mix.wav")[0])
        let starts = [facts.songs[0].frame + 4800] + changes.map(\.frame)
        // A change begins with the cycle that its frame lies in, or the next, and takes 10 ms.
        let change = 2 * 1024 + 480
        for (index, volume) in volumes.enumerated() {
            let first = facts.lead + starts[index] + (index > 0 ? change : 0)
            let last = facts.lead + (index < changes.count ? starts[index + 1] : facts.frames)
            let wanted = recorded[first..<last].map { $0 * volume }
            #expect(firstDifference(wanted, Array(mix[first..<last])) == nil, "\(volume)")
        }
    }

    /// The demo's voice hears nothing: where it is in time with the song, so are the files.
    @Test func theDemoHasNoLead() throws {
        let duet = try stage.start(
            ["demo", "--start-at", "0:10"], isHeard: false,
            environment: ["HOME": stage.path("home"), "XDG_CONFIG_HOME": nil])
        try duet.wait(for: Events.Playing.self)
        duet.child.type("r")
        let begun = try duet.wait(for: Events.Take.self)
        #expect((begun.lead, begun.leadFrom) == (0, "none"))
        try wait(seconds: 0.5, of: duet)
        try duet.quit()
        let take = try #require(try RecordedTake.all(in: stage.path("home/Music/duet")).first)
        let facts = try take.facts
        #expect((facts.lead, facts.leadFrom) == (0, "none"))
        #expect(try take.channels("song.wav")[0].count == facts.frames)
    }

    @Test func aLostServerEndsTheTake() throws {
        let duet = try stage.start(
            ["sing", stage.song(), "--mic", "none", "--record=\(takes)"], isHeard: false)
        try waitForTake(of: duet)
        try wait(seconds: 1, of: duet)
        try wait(for: "saved", of: duet) { stage.server.kill() }
        try wait(for: "recording", of: duet) { try stage.server.restart() }
        try wait(seconds: 1, of: duet)
        try duet.quit()
        let found = try RecordedTake.all(in: takes)
        #expect(found.count == 2)
        for take in found { #expect(try take.facts.complete && take.facts.frames > 24_000) }
    }
}
