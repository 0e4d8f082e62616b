import AudioGraph
import Foundation
import TestSupport
import Testing

@testable import AudioMedia

/// A process that may open no more files: a song that cannot be opened is told as an error, and one
/// that plays goes on.
@Suite(
    .ownProcess("takes all descriptors of the process"), .serialized, .timeLimit(.minutes(1)))
struct ExhaustedTests {
    @Test func aQueueWithoutADescriptorIsLost() throws {
        let source = SongSource(sampleRate: 48_000)
        let (log, song) = (EventLog(), try Location("/song.mp3"))
        let queue = Descriptors.exhausted {
            SongQueue([song], source: source) { log.add($0) }
        }
        queue.start()
        #expect(log.failure()?.description == "cannot open /song.mp3: no descriptor is left")
        #expect(log.all.last == .finished)
        #expect(queue.error != nil)
        queue.stop()
    }

    @Test(arguments: [false, true])
    func thePresentSongPlaysOnWhenTheNextCannotBeOpened(isRemote: Bool) throws {
        // The next song is opened when less than 30 s of this one are left.
        let bytes = try Array(repeatElement(MusicFile.headerless.bytes, count: 6).joined())
        let folder = try TemporaryFolder()
        let long = folder.url.appendingPathComponent("long.mp3")
        try Data(bytes).write(to: long)
        let next = try isRemote ? "http://127.0.0.1:9/song.mp3" : MusicFile.constant.url.path
        let stage = try SongStage([long.path, next], rate: 44_100, limits: .short)
        stage.song.start()
        var heard = stage.render(4096)
        Descriptors.exhausted {
            while stage.source.state != .ended { heard += stage.render(4096) }
        }
        #expect(stage.log.failure() != nil)
        let expected = try decodeAll(bytes, chunk: 4096)
        #expect(firstDifference(Array(heard.prefix(expected.count)), expected) == nil)
        let message = stage.song.error?.description ?? ""
        #expect(isRemote || message.contains("no descriptor is left"), "\(message)")
    }
}
