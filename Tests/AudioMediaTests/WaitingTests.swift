import TestSupport
import Testing

@testable import AudioMedia

/// poll(2) takes a negative time for one without end; for a source of bytes it is over.
@Suite struct WaitingTests {
    @Test(arguments: [-1, .min, -1_000_000]) func aNegativeTimeIsOver(milliseconds: Int) throws {
        let file = try FileSource(
            path: FileName(MusicFile.small.url.path), name: "song", window: ByteWindow(limit: 1))
        let kept = KeptSource(size: 1, response: nil)
        for source in [file, kept] as [any ByteSource] {
            source.wait(milliseconds: milliseconds, descriptors: [])
        }
    }
}
