import Foundation
import Rig
import Testing

extension LiveMemoryTests {
    /// A saved volume is there with the first frame of a song that follows without a gap, and gone with
    /// the first frame of the next: in the take, which has the songs before and behind the mixer.
    @Test func aVolumeIsThereWithTheFirstFrame() throws {
        let length = 2 * 48_000
        let songs = try ["a", "b", "c"].map { name in
            let path = stage.path("\(name).wav")
            try Tool.run([
                "sox", "-R", "-n", "-r", "48000", "-c", "2", "-b", "16", path, "synth", "2",
                "square", "100", "vol", "0.2",
            ])
            return path
        }
        let first = try start(["play", songs[1], "--loop", "--control", stage.control])
        try first.wait(for: Events.Playing.self)
        #expect(try stage.commands().ask("set /song/volume 0.1").hasPrefix("ok"))
        try first.quit()
        #expect(try kept() == [songs[1]: "/song/volume=-20dB\n"])

        let takes = stage.path("takes")
        let second = try start(["play"] + songs + ["--record=\(takes)"])
        #expect(try second.child.waitForExit(limit: 60) == .code(0))
        let take = try #require(try RecordedTake.all(in: takes).first)
        let song = try take.channels("song.wav")[0]
        let mix = try take.channels("mix.wav")[0]
        let begin = try #require(song.firstIndex { $0 != 0 })
        /// The volume at a frame of the songs.
        func volume(_ frame: Int) -> Float { mix[begin + frame] / song[begin + frame] }
        // The first song has no saved volume, and sounds as ever from its first frame on.
        let usual = volume(length / 2)
        #expect(abs(volume(10) / usual - 1) < 1e-4)
        for frame in [0, 1, 480, 20_000, length - 600] {
            #expect(abs(volume(length + frame) / usual - 0.1) < 1e-4, "\(frame) of the second")
            #expect(abs(volume(2 * length + frame) / usual - 1) < 1e-4, "\(frame) of the third")
        }
        // The change takes 10 ms, and ends there.
        for frame in [0, length - 2000, length - 600] {
            #expect(abs(volume(frame) / usual - 1) < 1e-4, "\(frame) of the first")
        }
        let middle = volume(length - 240) / usual
        #expect(middle > 0.2 && middle < 0.9)
    }
}
