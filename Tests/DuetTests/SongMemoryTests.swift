import AudioMedia
import Foundation
import SystemSupport
import TestSupport
import Testing

@testable import DuetApp

/// What is remembered of songs, while another program has its turn in the folder: as on a disk that does
/// not answer, every change waits.
@Suite final class SongMemoryTests {
    private let folder: TemporaryFolder
    private let store: SongStore
    private let memory: SongMemory
    private let disk = DiskWorker(patience: 60)
    private let told: Told
    private let turn: Int32

    private final class Told { var answers: [SongMemory.Answer] = [] }

    init() throws {
        folder = try TemporaryFolder()
        store = SongStore(folder: FileName(folder.url.path))
        let told = Told()
        self.told = told
        memory = SongMemory(store, disk: disk) { answer throws(DuetError) in
            told.answers.append(answer)
        }
        turn = open(folder.url.path, O_RDONLY)
        try #require(flock(turn, LOCK_EX) == 0)
        try memory.add(.change(try song(1000), ["/song/key": 1]))
    }

    deinit { close(turn) }

    /// Waits until all is done.
    private func finish() throws {
        while !disk.descriptors.isEmpty {
            var waiter = PollSet(disk.descriptors)
            waiter.wait(seconds: 20)
            try disk.update()
        }
    }

    private func song(_ number: Int) throws -> SungSong {
        SungSong(song: try Location("https://example.org/\(number).mp3"))
    }

    private func values(_ number: Int) throws -> [String: Double] {
        store.values(of: try #require(RememberedSong(try song(number).song))).values
    }

    /// The changes of one song are one, and come before what was asked for after them.
    @Test func nothingIsLostWhileTheDiskHangs() throws {
        for key in 0..<1000 { try memory.add(.change(try song(1), ["/song/key": Double(key % 7)])) }
        try memory.add(.read(try song(1), .init(bus: 0, number: 2)))
        try disk.update()
        #expect(told.answers.isEmpty)
        try #require(flock(turn, LOCK_UN) == 0)
        try finish()
        try #require(told.answers.count == 1)
        guard case .values(["/song/key": 5], .init(bus: 0, number: 2)) = told.answers[0] else {
            Issue.record("\(told.answers[0])")
            return
        }
        #expect(try values(1000) == ["/song/key": 1])
    }

    /// What is too much to wait is told, and all before it is done.
    @Test func whatIsLeftOutIsTold() throws {
        for number in 0..<100 { try memory.add(.change(try song(number), ["/song/key": 1])) }
        let unkept = told.answers.filter { if case .unkept = $0 { true } else { false } }
        #expect(unkept.count == 100 - 64 && told.answers.count == unkept.count)
        try #require(flock(turn, LOCK_UN) == 0)
        try finish()
        #expect(told.answers.count == unkept.count)
        #expect(try values(63) == ["/song/key": 1] && values(64) == [:])
    }

    /// The end waits for a limited time, and says what it did not wait for.
    @Test func theEndIsBounded() throws {
        let (disk, told) = (DiskWorker(patience: 0.05), Told())
        let memory = SongMemory(store, disk: disk) { answer throws(DuetError) in
            told.answers.append(answer)
        }
        try memory.add(.change(try song(1), ["/song/key": 1]))
        try disk.finish()
        try #require(told.answers.count == 1)
        guard case .unkept(let reason) = told.answers[0] else {
            Issue.record("\(told.answers[0])")
            return
        }
        #expect(reason.hasSuffix("is not responding"))
    }
}
