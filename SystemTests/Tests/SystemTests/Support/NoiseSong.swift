import Foundation
import Rig
import Testing

/// An MP3 of noise, in which every frame can be told from every other, and checks of what a
/// recorder has heard of it.
struct NoiseSong {
    let path: String
    /// The song as the `mpg123` program decodes it, interleaved stereo at 48 kHz.
    private let song: [Float]

    init(in folder: TemporaryFolder, seconds: Int) throws {
        let kept = try MusicFile.kept("noise-\(seconds).mp3") { file in
            let wave = folder.url.appendingPathComponent("noise.wav").path
            try Tool.run([
                "sox", "-R", "-n", "-r", "48000", "-c", "2", wave, "synth", "\(seconds)",
                "whitenoise", "vol", "0.2",
            ])
            try Tool.run(["lame", "--quiet", "-b", "192", wave, file.path])
        }
        path = folder.url.appendingPathComponent("noise.mp3").path
        try FileManager.default.copyItem(atPath: kept.path, toPath: path)
        song = try MusicFile.decodedByMpg123(kept)
    }

    /// Whether two samples are the same one of the song. After some seeks, where the decoder had half
    /// of the frame before, libmpg123 adds the same numbers in another order, from there on.
    private static func same(_ one: Float, _ other: Float) -> Bool { abs(one - other) < 1e-6 }

    /// The frame of the song that was recorded as frame `index`; nil when no frame matches.
    private func place(_ heard: [Float], _ index: Int) -> Int? {
        let count = 16
        guard index >= 0, heard.count >= 2 * (index + count) else { return nil }
        let wanted = heard[2 * index]
        return song.withUnsafeBufferPointer { song in
            var frame = 0
            while frame + count <= song.count / 2 {
                if Self.same(song[2 * frame], wanted),
                    (0..<(2 * count)).allSatisfy({
                        Self.same(song[2 * frame + $0], heard[2 * index + $0])
                    })
                {
                    return frame
                }
                frame += 1
            }
            return nil
        }
    }

    private func sample(_ frame: Int, _ channel: Int) -> Float {
        song[2 * (frame % (song.count / 2)) + channel]
    }

    /// Expects that the recording from its frame `first` on is the song from its frame `place` on;
    /// the recording may end with silence.
    private func expectSong(_ heard: [Float], from first: Int, at place: Int) {
        let wrong = (first..<(heard.count / 2)).first { frame in
            (0...1).contains {
                !Self.same(heard[2 * frame + $0], sample(place + frame - first, $0))
            }
        }
        #expect(wrong == nil, "frame \(wrong ?? 0) of \(heard.count / 2)")
    }

    /// The song's frame after the last recorded frame.
    func end(of recording: Witness.Recording) throws -> Int {
        let heard = recording.stereo
        let frames = heard.count / 2
        let found = place(heard, frames - 16)
        let last = try #require(found)
        let checked = min(4800, frames)
        expectSong(heard, from: frames - checked, at: last + 16 - checked)
        return last + 16
    }

    /// Expects that the recording is silence, and then the song from its frame `first` on, fading
    /// in over 50 ms.
    func expectReturn(_ recording: Witness.Recording, at first: Int) throws {
        let heard = recording.stereo
        let sound = heard.firstIndex { $0 != 0 }
        let begin = try #require(sound) / 2
        let found = place(heard, begin + 2400)
        let place = try #require(found)
        // The first frame of the fade is multiplied by 0.
        let start = (begin - 1...begin).first { place - (begin + 2400 - $0) == first }
        #expect(start != nil, "\(place - 2400 - first) frames from where it was")
        guard let start else { return }
        for n in 0..<2400 {
            let wanted = sample(first + n, 0) * (Float(n) / 2400)
            try #require(Self.same(heard[2 * (start + n)], wanted), "frame \(n)")
        }
        expectSong(heard, from: start + 2400, at: first + 2400)
    }

    /// Expects that the song fades out over 10 ms, and after some silence goes on with the very
    /// next frame, fading in over 50 ms. Looks at 50 ms before and 100 ms after.
    func expectAbsence(_ recording: Witness.Recording) throws {
        let heard = recording.stereo
        let sound = heard.firstIndex { $0 != 0 }
        var silent = 0
        let silence = try (#require(sound) / 2..<heard.count / 2).first { frame in
            silent = heard[2 * frame] == 0 ? silent + 1 : 0
            return silent == 4800
        }
        let fade = try #require(silence) - 4799 - 480
        let found = place(heard, fade - 2400)
        let faded = try #require(found) + 2400
        expectSong(Array(heard[..<(2 * fade)]), from: fade - 2400, at: faded - 2400)
        for n in 0..<480 {
            let wanted = sample(faded + n, 0) * (1 - Float(n) / 480)
            try #require(Self.same(heard[2 * (fade + n)], wanted), "frame \(n)")
        }
        let rest = recording.channels.map { channel in
            channel[(fade + 480)...].drop { $0 == 0 }.prefix(4800)
        }
        let after = Witness.Recording(channels: rest.map { [0] + $0 }, periods: [])
        try expectReturn(after, at: faded + 480)
    }

    /// Expects that the frames of the song follow each other without a gap, apart from silence,
    /// after which the song fades in over 50 ms. Where cycles were missed, the recorder may miss
    /// their frames and no more; and where duet missed the first cycle after them, JACK gives its
    /// listeners the last period again. In the four periods after missed ones, PipeWire may give the
    /// recorder silence for a whole period, or leave out one that was among the missed.
    ///
    /// A song of `duet` that has run dry fades out, and is not compared: `expectNoUnderrun`, which is
    /// to be called at the end, finds out whether there was a processor for it.
    func expectUnbroken(_ recording: Witness.Recording, of duet: Duet) throws {
        guard try duet.first(Events.Underrun.self) == nil else {
            return Excuses.add("not proved: the song has run dry, and its frames were not compared")
        }
        let heard = recording.stereo
        // The recorder may have started while duet still faded in.
        let sound = heard.firstIndex { $0 != 0 }
        let begin = try #require(sound) / 2 + 2400
        let first = place(heard, begin)
        var wanted = try #require(first)
        var (silent, fade) = (0, 2400)
        let missed = missedFrames(recording)
        let borders = Set(recording.periods.map(\.frame))
        var (repeated, withheld, isWithheld) = (0, 0, false)
        for frame in begin..<(heard.count / 2) {
            let left = heard[2 * frame]
            if fade == 1, isWithheld, left != 0, borders.contains(frame) {
                fade = 2400
                withheld += 1
            }
            if let (gap, period) = missed[frame], fade == 2400 {
                func isHere(_ place: Int) -> Bool {
                    Self.same(sample(place, 0), left)
                        && Self.same(sample(place, 1), heard[2 * frame + 1])
                }
                let here = (wanted...wanted + gap).first(where: isHere)
                if let here {
                    wanted = here
                } else if wanted >= period, isHere(wanted - period) {
                    wanted -= period
                    repeated += 1
                }
            }
            if left == 0, sample(wanted, 0) != 0 {
                if fade != 1 { isWithheld = JackServer.isPipeWire && missed[frame] != nil }
                silent += 1
                fade = 1
                continue
            }
            // The first frame of a fade is multiplied by 0.
            if fade == 1 { wanted += 1 }
            let expected =
                fade < 2400 ? sample(wanted, 0) * (Float(fade) / 2400) : sample(wanted, 0)
            let found = Self.same(left, expected) ? nil : place(heard, frame) ?? -1
            try #require(found == nil, "frame \(frame) is \(found ?? 0), not \(wanted)")
            wanted += 1
            fade = min(2400, fade + 1)
        }
        print(
            "\(silent) silent frames, \(missed.count) times missed some, \(repeated) repeated,"
                + " \(withheld) withheld")
    }

    /// The recorded frames before which cycles were missed: for each, how many frames of JACK's
    /// time were not recorded, and the period. With PipeWire also the four periods after these.
    private func missedFrames(_ recording: Witness.Recording) -> [Int: (gap: Int, period: Int)] {
        var missed: [Int: (gap: Int, period: Int)] = [:]
        var (last, age) = (0, Int.max)
        for (before, after) in zip(recording.periods, recording.periods.dropFirst()) {
            let gap = Int(Int32(bitPattern: after.time &- before.time)) - before.frames
            age = gap > 0 ? 0 : age == .max ? age : age + 1
            if gap > 0 { last = gap }
            if age <= (JackServer.isPipeWire ? 4 : 0) {
                missed[after.frame] = (last, before.frames)
            }
        }
        return missed
    }

    /// Expects that each frame of the song was heard at the frame that JACK's transport gave it,
    /// and nothing while the transport stood still, except for 5 ms of fading at both ends of each
    /// stretch. Where the recorder missed a cycle, duet may have missed it too: from 50 ms later on
    /// all must be right again.
    ///
    /// Returns how many frames were heard, the transport's frame at which each stretch of them began,
    /// and how many frames stayed silent because the song came late.
    ///
    /// - Parameter isLate: whether the song is not there yet when the recording begins.
    func expectTransport(
        _ recording: Witness.Recording, isLate: Bool = false
    ) throws -> (frames: Int, stretches: [Int], late: Int) {
        let heard = recording.stereo
        var (frames, stretches, late) = (0, [Int](), 0)
        // The song's frame that belongs to the next recorded frame, the frames since the transport
        // began to roll, the frames since it stopped, and how far the song had faded in by then.
        let first = recording.periods.first?.transport
        var (next, rolled, stood) = (first ?? 0, first == nil || isLate ? 0 : 240, 240)
        var top: Float = 1
        // PipeWire makes connections some cycles after they were requested.
        var (time, unsure) = (recording.periods.first?.time, JackServer.isPipeWire ? 4800 : 0)
        for period in recording.periods {
            if let wanted = time, period.time != wanted {
                unsure = 2400
                next += Int(period.time &- wanted)
            }
            time = period.time &+ UInt32(period.frames)
            if let transport = period.transport, rolled == 0 || transport != next {
                stretches.append(transport)
                (next, rolled) = (transport, transport == 0 ? 240 : 0)
            }
            // A stretch in which the song came too late to sound has no fade out either.
            if period.transport == nil, rolled > 0 {
                top = Float(min(rolled, 240)) / 240
                (rolled, stood) = (0, rolled == 1 ? 240 : 0)
            }
            let end = min(period.frame + period.frames, heard.count / 2)
            for frame in period.frame..<max(end, period.frame) {
                if period.transport != nil, rolled < 2 {
                    // The first frame of a fade is multiplied by 0, so the second shows that it
                    // began.
                    if rolled == 0, heard[2 * frame] != 0 { rolled = 1 }
                    if rolled == 1, heard[2 * frame] == 0, next < song.count / 2,
                        sample(next, 0) != 0
                    {
                        rolled = 0
                        late += 1
                    }
                }
                let gain =
                    period.transport == nil
                    ? top * (1 - Float(min(stood, 240)) / 240) : Float(min(rolled, 240)) / 240
                let wanted = next < song.count / 2 ? sample(next, 0) * gain : 0
                unsure -= 1
                let isRight =
                    gain == 0 || gain == 1
                    ? Self.same(heard[2 * frame], wanted) : abs(heard[2 * frame] - wanted) < 1e-3
                let found = isRight || unsure > 0 ? nil : place(heard, frame) ?? -1
                try #require(
                    found == nil,
                    """
                    frame \(frame) is \(found ?? 0), not \(next) (\(rolled), \(stood), \(top)), in the \
                    period \(period): \(heard[2 * frame]), not \(wanted)
                    """)
                if period.transport == nil {
                    stood += 1
                } else {
                    rolled += 1
                    frames += 1
                }
                next += 1
            }
        }
        return (frames, stretches, late)
    }
}

extension Witness.Recording {
    /// Its first two channels, interleaved.
    fileprivate var stereo: [Float] { interleaved(channels[0], channels[1]) }
}
