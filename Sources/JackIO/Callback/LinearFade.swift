/// A linear way from silence to the samples as they are, counted in whole frames.
///
/// Frame n of N is multiplied by n/N; from frame N on nothing is touched, so that the samples are
/// the same to the bit. Belongs to one thread. Realtime-safe.
struct LinearFade: ~Copyable {
    /// N, in frames.
    let length: Int32
    /// The frames that have gone by, at most `length`.
    private(set) var position: Int32 = 0

    /// A fade of `milliseconds` at `sampleRate` Hz, rounded to whole frames; a length beyond
    /// `Int32.max` frames becomes that.
    init(milliseconds: Int, sampleRate: Int) {
        length = Int32(clamping: (milliseconds * sampleRate + 500) / 1000)
    }

    /// The frames that the fade still takes.
    var left: Int { @_noLocks get { Int(length - position) } }

    /// Whether the samples pass untouched from here on.
    var isOver: Bool { @_noLocks get { position == length } }

    /// Writes the faded `source` to `destination`; the two may be the same. Does not advance, so
    /// that every channel of a frame gets the same gain.
    @_noLocks func apply(
        _ source: UnsafePointer<Float>, to destination: UnsafeMutablePointer<Float>, frames: Int
    ) {
        let fading = min(frames, Int(length - position))
        let scale = Float(length)
        var frame = 0
        while frame < fading {
            let gain = Float(position + Int32(truncatingIfNeeded: frame)) / scale
            unsafe destination[frame] = unsafe source[frame] * gain
            frame += 1
        }
        while frame < frames {
            unsafe destination[frame] = unsafe source[frame]
            frame += 1
        }
    }

    /// As `apply`, the other way: frame n of N is multiplied by 1 − n/N, and silence follows.
    @_noLocks func applyReversed(_ samples: UnsafeMutablePointer<Float>, frames: Int) {
        let fading = min(frames, Int(length - position))
        let scale = Float(length)
        var frame = 0
        while frame < fading {
            let left = length - position - Int32(truncatingIfNeeded: frame)
            unsafe samples[frame] = unsafe samples[frame] * (Float(left) / scale)
            frame += 1
        }
        while frame < frames {
            unsafe samples[frame] = 0
            frame += 1
        }
    }

    /// `frames` frames went by.
    @_noLocks mutating func advance(_ frames: Int) {
        position += Int32(truncatingIfNeeded: min(frames, Int(length - position)))
    }
}
