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
    private let turn: Int32

    init() throws {
        folder = try TemporaryFolder()
        store = SongStore(folder: FileName(folder.url.path))
        memory = SongMemory(store)
        turn = open(folder.url.path, O_RDONLY)
        try #require(flock(turn, LOCK_EX) == 0)
        memory.add(.change(try song(1000), ["/song/key": 1]))
    }

    deinit { close(turn) }

    private func song(_ number: Int) throws -> Location {
        try Location("https://example.org/\(number).mp3")
    }

    private func values(_ number: Int) throws -> [String: Double] {
        store.values(of: try #require(RememberedSong(try song(number)))).values
    }

    /// The changes of one song are one, and come before what was asked for after them.
    @Test func nothingIsLostWhileTheDiskHangs() throws {
        for key in 0..<1000 { memory.add(.change(try song(1), ["/song/key": Double(key % 7)])) }
        memory.add(.read(try song(1), .init(bus: 0, number: 2)))
        #expect(memory.take().isEmpty)
        try #require(flock(turn, LOCK_UN) == 0)
        let answers = memory.finish(milliseconds: 20_000)
        try #require(answers.count == 1)
        guard case .values(["/song/key": 5], .init(bus: 0, number: 2)) = answers[0] else {
            Issue.record("\(answers[0])")
            return
        }
        #expect(try values(1000) == ["/song/key": 1])
    }

    /// What is too much to wait is told, and all before it is done.
    @Test func whatIsLeftOutIsTold() throws {
        for number in 0..<100 { memory.add(.change(try song(number), ["/song/key": 1])) }
        let told = memory.take().filter { if case .unkept = $0 { true } else { false } }
        #expect(told.count == 100 - 64)
        try #require(flock(turn, LOCK_UN) == 0)
        #expect(memory.finish(milliseconds: 20_000).isEmpty)
        #expect(try values(63) == ["/song/key": 1] && values(64) == [:])
    }

    /// The end waits for a limited time, and says what it did not wait for.
    @Test func theEndIsBounded() throws {
        let told = memory.finish(milliseconds: 20)
        try #require(told.count == 1)
        guard case .unkept(let reason) = told[0] else {
            Issue.record("\(told[0])")
            return
        }
        #expect(reason.hasSuffix("is not responding"))
    }
}
