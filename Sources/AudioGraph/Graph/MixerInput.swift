/// An input bus of a mixer: its volume, its pan, and how loud it is after both.
///
/// Every change takes 10 ms. Control thread.
public final class MixerInput {
    /// The bus's number.
    public let number: Int
    /// The bus's volume, 0…4; 1 by default.
    public var volume: Volume = .unity { didSet { post() } }
    /// The bus's pan, −1…1; 0 by default.
    public var pan: Pan = .centre { didSet { post() } }
    /// Whether the bus is silent whatever its volume; false by default.
    public var isMuted = false { didSet { post() } }
    /// Channels of what is connected, 1 or 2: a pan law has different gains for mono and stereo.
    var channelCount = 2 {
        didSet { if channelCount != oldValue { post() } }
    }
    var law: PanLaw { didSet { if law != oldValue { post() } } }

    let controls = Shared(MixerInputKernel.Controls(matrix: Mailbox(count: 4)))
    let kernel: Shared<MixerInputKernel>

    init(number: Int, law: PanLaw, sampleRate: Int) {
        self.number = number
        self.law = law
        kernel = unsafe Shared(
            MixerInputKernel(
                controls: controls.pointer,
                matrix: law.matrix(volume: .unity, pan: .centre, channelCount: 2),
                sampleRate: sampleRate))
    }

    /// Levels of the bus after volume and pan.
    public var levels: Levels { unsafe Levels(controls.pointer.pointee.levels) }

    private func post() {
        let matrix =
            isMuted
            ? .silent
            : law.matrix(volume: volume, pan: pan, channelCount: channelCount)
        let lanes = matrix.lanes
        unsafe controls.pointer.pointee.matrix.post(lanes.indices.map { lanes[$0] })
    }
}
