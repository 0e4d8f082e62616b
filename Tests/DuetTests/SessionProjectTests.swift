import AudioGraph
import Foundation
import SystemSupport
import TestSupport
import Testing

@testable import DuetApp

/// The file in which a session is saved, on a disk that may hang.
@Suite struct SessionProjectTests {
    private let folder: TemporaryFolder
    private let project: SessionProject

    init() throws {
        folder = try TemporaryFolder()
        project = SessionProject(
            path: folder.url.appendingPathComponent("project").path, clientID: "duet")
    }

    /// A second save beside one that hangs could be overwritten by the older state of the first.
    @Test func aSaveIsRefusedWhileTheLastOneHangs() throws {
        let gate = try #require(EventFlag())
        var state = SessionState()
        state.songs = [["/song.mp3"]]
        do {
            try project.bounded { _ = gate.wait(milliseconds: -1) }
            Issue.record("a save that hangs was waited for")
        } catch {
            #expect(error.message.contains("the disk did not respond within 2 s"))
        }
        do {
            try project.save(state)
            Issue.record("two saves at once")
        } catch {
            #expect(error.message.contains("the disk is still not responding"))
        }
        #expect(access(folder.url.appendingPathComponent("project.duet").path, F_OK) != 0)
        gate.set()
        #expect(poll { (try? project.save(state)) != nil })
        #expect(try project.read()?.songs == state.songs)
    }
}
