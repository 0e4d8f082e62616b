/// An input bus of a mixer: its volume, its pan, and how loud it is after both.
///
/// Every change takes 10 ms. Control thread.
public final class MixerInput {
    /// The bus's number.
    public let number: Int
    private weak var mixer: MixerNode?
    /// Channels of what is connected, 1 or 2: a pan law has different gains for mono and stereo.
    var channelCount = 2 {
        didSet {
            if channelCount != oldValue, isPresent { mixer?.parameters.deliver(address(.volume)) }
        }
    }

    /// Whether two channels are one source with a room around it, as a voice with a reverb: they are
    /// panned as a mono bus, so that the source is where and as loud as it would be by itself; false
    /// by default. Without effect on a mono bus. A change takes 10 ms.
    public var hasMonoPan = false {
        didSet {
            if hasMonoPan != oldValue, isPresent { mixer?.parameters.deliver(address(.volume)) }
        }
    }

    private let levelStore = Shared(LevelStore())
    let mailbox = Shared(Mailbox(count: 4))
    let kernel: Shared<MixerInputKernel>

    init(number: Int, of mixer: MixerNode, law: PanLaw, sampleRate: Int) {
        self.number = number
        self.mixer = mixer
        kernel = unsafe Shared(
            MixerInputKernel(
                levels: levelStore.pointer, mailbox: mailbox.pointer,
                matrix: law.matrix(volume: .unity, pan: .centre, channelCount: 2),
                sampleRate: sampleRate),
            keeping: levelStore, mailbox)
    }

    /// The bus's volume, 0…4; 1 by default.
    public var volume: Volume {
        get { Volume(gain: value(.volume)) }
        set { change(.volume, to: newValue.gain) }
    }
    /// The bus's pan, −1…1; 0 by default.
    public var pan: Pan {
        get { Pan(value(.pan)) }
        set { change(.pan, to: newValue.position) }
    }
    /// Whether the bus is silent whatever its volume; false by default.
    public var isMuted: Bool {
        get { value(.mute) != 0 }
        set { change(.mute, to: newValue ? 1 : 0) }
    }
    /// Whether only this bus is heard, and others that are solo too; false by default. A muted bus
    /// stays silent.
    public var isSolo: Bool {
        get { value(.solo) != 0 }
        set { change(.solo, to: newValue ? 1 : 0) }
    }

    /// Levels of the bus after volume and pan.
    public var levels: Levels { unsafe Levels(levelStore.pointer.pointee) }

    /// The pan matrix that `value` asks for; `isAnySolo`: whether any bus of the mixer is solo.
    func matrix(
        law: PanLaw, isAnySolo: Bool, _ value: (ParameterAddress) -> Double
    ) -> PanMatrix {
        let isHeard = value(address(.mute)) == 0 && (!isAnySolo || value(address(.solo)) != 0)
        guard isHeard else { return .silent }
        let (volume, pan) = (
            Volume(gain: value(address(.volume))), Pan(value(address(.pan)))
        )
        return hasMonoPan && channelCount == 2
            ? law.monoMatrix(volume: volume, pan: pan)
            : law.matrix(volume: volume, pan: pan, channelCount: channelCount)
    }

    func address(_ name: ParameterName) -> ParameterAddress {
        ParameterAddress(name, scope: .input, element: number)
    }

    private var isPresent: Bool { mixer?.has(self) ?? false }

    private func value(_ name: ParameterName) -> Double {
        guard isPresent, let mixer else { return name == .volume ? 1 : 0 }
        return mixer.parameters[address(name)]
    }

    private func change(_ name: ParameterName, to value: Double) {
        if isPresent { mixer?.parameters.change(address(name), to: value) }
    }
}
