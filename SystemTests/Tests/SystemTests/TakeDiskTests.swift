import Foundation
import Rig
import Testing

/// Takes on disks that are full, slow or hang, and of programs that are killed.
@Suite(.serialized, .disabled(if: JackServer.isPipeWire)) struct TakeDiskTests {
    private let stage: Stage
    private let takes: String

    init() throws {
        stage = try Stage(period: 1024)
        takes = stage.path("disk/takes")
        try FileManager.default.createDirectory(
            atPath: stage.path("disk"), withIntermediateDirectories: true)
    }

    private func start(
        _ song: String, as name: String? = nil, isHeard: Bool = false,
        environment: [String: String?] = [:]
    ) throws -> Duet {
        let duet = try stage.start(
            ["sing", song, "--mic", "none", "--record=\(takes)", "--no-replay-gain"], as: name,
            isHeard: isHeard, environment: environment)
        #expect(try duet.wait(for: Events.Take.self).state == "recording")
        return duet
    }

    private func position(_ duet: Duet) throws -> Double {
        try #require(try duet.all(Events.Position.self).last?.seconds)
    }

    /// Killed at any moment, a program leaves files that others open whole, with all that was heard up
    /// to the last second.
    @Test func aKilledProgramLeavesWholeFiles() throws {
        let seed = UInt64.random(in: 0...999_999)
        print("seed \(seed)")
        var random = SeededRandom(seed: seed)
        let song = try NoiseSong(in: stage.folder, seconds: 60)
        for round in 1...(LongTests.areRun ? 20 : 3) {
            let name = Duet.clientName()
            let duet = try start(song.path, as: name, isHeard: true)
            try duet.wait(for: Events.Playing.self)
            let witness = try Witness(recording: 1_000_000, of: name, server: stage.server)
            // The moment is any; nothing is waited for.
            usleep(.random(in: 700_000...3_000_000, using: &random))
            try stage.kill(duet)
            let heard = try witness.finish(isLost: true).channels
            let take = try #require(try RecordedTake.all(in: takes).last)
            let facts = try take.facts
            #expect(!facts.complete)
            for name in facts.files {
                let lengths = try take.lengths(name)
                let own = try take.channels(name)[0].count
                #expect(lengths == [own, own, own], "round \(round), \(name)")
            }
            func end(_ channels: [[Float]]) throws -> Int {
                try song.end(of: Witness.Recording(channels: channels, periods: []))
            }
            // The dying program's last cycles may be heard twice, or in part.
            let last = try #require(heard[0].lastIndex { $0 != 0 }) - 4 * 1024
            let missing =
                try end(heard.map { Array($0[..<last]) }) + 4 * 1024
                - end(take.channels("song.wav"))
            print("round \(round): \(facts.frames) frames told, \(missing) missing")
            #expect(missing <= 48_000, "round \(round)")
        }
    }

    /// The sound goes on, and what fitted is there.
    @Test(.enabled(if: getuid() == 0, "takes the right to mount"))
    func aFullDiskEndsTheTakeAndNotTheSound() throws {
        try FileManager.default.createDirectory(
            atPath: takes, withIntermediateDirectories: true)
        try Tool.run(["mount", "-t", "tmpfs", "-o", "size=3m", "tmpfs", takes])
        defer { _ = try? Tool.run(["umount", takes]) }
        let song = try NoiseSong(in: stage.folder, seconds: 60)
        let duet = try start(song.path)
        let failed = try duet.wait(for: Events.Take.self) { $0.state == "failed" }
        #expect(failed.reason?.contains("No space left on device") == true)
        #expect(failed.folder != nil && (failed.seconds ?? 0) > 1)
        // The song goes on, and so do the keys.
        let place = try position(duet)
        try duet.wait(for: Events.Position.self) { $0.seconds > place + 1 }
        try duet.type("m", changes: "/mic/mute")
        duet.child.type("q")
        #expect(try duet.child.waitForExit() == .code(0))
        let take = try #require(try RecordedTake.all(in: takes).first)
        let facts = try take.facts
        for name in facts.files {
            let own = try take.channels(name)[0].count
            #expect(own > 48_000)
            #expect(try take.lengths(name) == [own, own, own], "\(name)")
        }
    }

    /// What is recorded waits for the disk, and nobody else does.
    @Test func aDiskThatHangsForAWhileLosesNothing() throws {
        let song = try NoiseSong(in: stage.folder, seconds: 60)
        let preload = try Preload("hold-disk", in: stage.folder)
        let duet = try start(
            song.path,
            environment: preload.environment.merging(["HOLD_ONLY": "write"]) { $1 })
        let first = try duet.waitForNext(Events.Position.self).seconds
        try preload.begin()
        #expect(poll { preload.holds })
        let held = try position(duet)
        try duet.type("m", changes: "/mic/mute")
        try duet.wait(for: Events.Position.self) { $0.seconds > held + 3 }
        preload.release()
        let last = try duet.wait(for: Events.Position.self) { $0.seconds > held + 4 }.seconds
        duet.child.type("q")
        #expect(try duet.child.waitForExit() == .code(0))
        #expect(try duet.all(Events.Take.self).last?.state == "saved")
        let take = try #require(try RecordedTake.all(in: takes).first)
        let facts = try take.facts
        #expect(facts.complete && facts.gaps.isEmpty)
        #expect(Double(facts.frames) / 48_000 >= last - first)
        let recorded = try take.channels("song.wav")
        let part = Witness.Recording(
            channels: recorded.map { Array($0.dropFirst(facts.lead)) }, periods: [])
        try song.expectUnbroken(part, of: duet)
    }

    /// Longer than 10 s, and what did not fit into memory is silence: what comes after it is in its place.
    @Test(.enabled(if: LongTests.areRun, "takes 15 s"))
    func aDiskThatHangsForLongMovesNothing() throws {
        let song = try NoiseSong(in: stage.folder, seconds: 60)
        let preload = try Preload("hold-disk", in: stage.folder)
        let duet = try start(
            song.path,
            environment: preload.environment.merging(["HOLD_ONLY": "write"]) { $1 })
        try duet.waitForNext(Events.Position.self)
        try preload.begin()
        #expect(poll { preload.holds })
        let held = try position(duet)
        try duet.wait(for: Events.Position.self) { $0.seconds > held + 12 }
        preload.release()
        #expect(
            try duet.wait(for: Events.Warning.self).message.hasPrefix("the disk was too slow: "))
        try duet.wait(for: Events.Position.self) { $0.seconds > held + 14 }
        duet.child.type("q")
        #expect(try duet.child.waitForExit() == .code(0))
        let take = try #require(try RecordedTake.all(in: takes).first)
        let facts = try take.facts
        let gap = try #require(facts.gaps.first)
        #expect(facts.gaps.count == 1 && gap.count > 48_000)
        let (recorded, mix) = (try take.channels("song.wav"), try take.channels("mix.wav"))
        let start = facts.lead + gap.frame
        for file in recorded + mix {
            #expect(file[start..<start + gap.count].allSatisfy { $0 == 0 })
        }
        func end(_ frames: Int) throws -> Int {
            try song.end(
                of: Witness.Recording(
                    channels: recorded.map { Array($0[..<frames]) }, periods: []))
        }
        #expect(try end(recorded[0].count) - end(start) == facts.frames - gap.frame)
        #expect(
            firstDifference(
                Array(recorded[0][(start + gap.count)...]), Array(mix[0][(start + gap.count)...]))
                == nil)
    }

    /// duet waits 10 s for it, and says what is missing.
    @Test func aDiskThatHangsAtTheEndDoesNotKeepDuet() throws {
        let preload = try Preload("hold-disk", in: stage.folder)
        let duet = try start(
            stage.song(), environment: preload.environment.merging(["HOLD_ONLY": "write"]) { $1 })
        try duet.waitForNext(Events.Position.self)
        try preload.begin()
        #expect(poll { preload.holds })
        duet.child.type("q")
        #expect(try duet.child.waitForExit() == .code(0))
        #expect(
            try duet.all(Events.Warning.self).last?.message
                == "the disk is not responding: the end of the take is missing")
        preload.release()
    }

    /// Before the song begins.
    @Test func aFolderThatCannotBeMadeIsNamed() throws {
        try stage.folder.write("disk/takes", "")
        let duet = try stage.start(
            ["sing", stage.song(), "--mic", "none", "--record=\(takes)"], isHeard: false)
        #expect(try duet.child.waitForExit() == .code(73))
        let failure = try #require(try duet.all(Events.Failure.self).last)
        #expect(failure.message == "cannot record into \(takes): Not a directory")
    }
}
