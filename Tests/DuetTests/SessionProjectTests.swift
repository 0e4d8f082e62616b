import Foundation
import TestSupport
import Testing

@testable import DuetApp

/// The file in which a session is saved; SessionTests has a disk that hangs.
@Suite struct SessionProjectTests {
    private let folder: TemporaryFolder
    private let project: SessionProject

    init() throws {
        folder = try TemporaryFolder()
        project = SessionProject(
            path: folder.url.appendingPathComponent("project").path, clientID: "duet")
    }

    @Test func aStateIsSavedAndRead() throws {
        var state = SessionState()
        state.songs = [["/song.mp3"]]
        try SessionProject.write(state, to: project.file)
        #expect(try project.read()?.songs == state.songs)
    }
}
