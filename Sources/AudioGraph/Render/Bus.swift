/// The buffers of one bus in a plan, which hold one slice at a time.
///
/// An audio bus has 1…8 channels. A control bus has one channel of gains, which one unit gives to
/// another for every frame. Each is *at rest* while it says nothing: an audio bus when all samples
/// of the slice are 0, a control bus when all are 1. The buffer of a control bus at rest is not
/// filled.
@safe struct Bus {
    let channels: UnsafeMutablePointer<Samples>
    let channelCount: Int
    private let rest: UnsafeMutablePointer<Bool>

    init(
        channels: UnsafeMutablePointer<Samples>, channelCount: Int, rest: UnsafeMutablePointer<Bool>
    ) {
        unsafe self.channels = channels
        self.channelCount = channelCount
        unsafe self.rest = rest
    }

    /// Whether the bus is at rest in the present slice. Whoever fills the bus sets it.
    var isAtRest: Bool {
        @_noLocks get { unsafe rest.pointee }
        @_noLocks nonmutating set { unsafe rest.pointee = newValue }
    }

    /// The gains of a control bus.
    var gains: Samples { @_noLocks get { unsafe channels[0] } }

    /// The first two channels; both sides of a mono bus are its one channel.
    var stereo: StereoSamples {
        @_noLocks get {
            unsafe StereoSamples(left: channels[0], right: channels[channelCount > 1 ? 1 : 0])
        }
    }

    /// Fills an audio bus with silence.
    @_noLocks func clear(count: Int) {
        for channel in 0..<channelCount {
            unsafe clearChannel(channels[channel], count: count)
        }
        isAtRest = true
    }

    /// Copies an audio bus of as many channels.
    @_noLocks func copy(_ source: Bus, count: Int) {
        for channel in 0..<channelCount {
            unsafe copyChannel(source.channels[channel], to: channels[channel], count: count)
        }
        isAtRest = source.isAtRest
    }

    /// Copies those channels of an audio bus that `map` names, one for each of this bus.
    @_noLocks func pick(_ map: UnsafePointer<Int>, of source: Bus, count: Int) {
        for channel in 0..<channelCount {
            unsafe copyChannel(
                source.channels[map[channel]], to: channels[channel], count: count)
        }
        isAtRest = source.isAtRest
    }
}

/// The input buses, or the output buses, of one step of a plan.
@safe struct Buses {
    private let first: UnsafePointer<Bus>
    let count: Int

    init(_ first: UnsafePointer<Bus>, count: Int) {
        unsafe self.first = first
        self.count = count
    }

    subscript(index: Int) -> Bus { @_noLocks get { unsafe first[index] } }
}
