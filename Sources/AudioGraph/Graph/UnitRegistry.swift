/// All kinds of units, to be found by what is known of them.
public enum UnitRegistry {
    private typealias Maker = (unit: UnitDescription, make: @Sendable (Int) -> AudioNode?)

    private static let makers = always + spatial + speech

    private static let always: [Maker] = [
        (HardwareIO.unit, { _ in HardwareIO() }),
        (SongSource.unit, { SongSource(sampleRate: $0) }),
        (
            QueuePlayerNode.unit,
            { QueuePlayerNode(format: StreamFormat(sampleRate: $0, channelCount: 2)) }
        ),
        (MixerNode.unit, { _ in MixerNode(inputs: 2) }),
        (
            CallbackSource.unit,
            { _ in unsafe CallbackSource { _, flags, _, _, _, _, _, _ in unsafe silence(flags) } }
        ),
        (
            GenericOutput.unit,
            { rate in
                GenericOutput(format: StreamFormat(sampleRate: rate, channelCount: 2)) { _ in }
            }
        ),
        (RecorderNode.unit, { _ in RecorderNode(channelCounts: [2]) }),
        (CallbackEffect.unit, { _ in unsafe CallbackEffect { _, _, _, _, _, _, _, _ in 0 } }),
        (CustomUnit.unit, { _ in CustomUnit.passingOn() }),
        (GainNode.unit, { _ in GainNode() }),
        (TapNode.unit, { _ in TapNode { _, _ in } }),
        (MeterNode.unit, { _ in MeterNode() }),
        (
            Converter.unit,
            { rate in
                let format = StreamFormat(sampleRate: rate, channelCount: 2)
                return try? Converter(from: format, to: format)
            }
        ),
        (GuardNode.unit, { _ in GuardNode() }),
        (LimiterNode.unit, { _ in LimiterNode() }),
        (EqualizerNode.unit, { _ in EqualizerNode() }),
        (HighPassNode.unit, { _ in HighPassNode() }),
        (CompressorNode.unit, { _ in CompressorNode() }),
        (GateNode.unit, { _ in GateNode() }),
        (DeEsserNode.unit, { _ in DeEsserNode() }),
        (DelayNode.unit, { _ in DelayNode() }),
        (ReverbNode.unit, { _ in ReverbNode() }),
        (VocalRemoverNode.unit, { _ in VocalRemoverNode() }),
        (FeedbackGuardNode.unit, { _ in FeedbackGuardNode() }),
        (DuckerNode.unit, { _ in DuckerNode() }),
    ]

    #if Spatial
    private static let spatial: [Maker] = [
        (BinauralPannerNode.unit, { _ in BinauralPannerNode() })
    ]
    #else
    private static let spatial: [Maker] = []
    #endif
    #if Speech
    private static let speech: [Maker] = [
        (VoiceProcessorNode.unit, { _ in VoiceProcessorNode() })
    ]
    #else
    private static let speech: [Maker] = []
    #endif

    /// What a callback source of the registry plays.
    @_noLocks private static func silence(_ flags: UnsafeMutablePointer<UInt32>?) -> Int32 {
        unsafe flags?.pointee = RenderFlags.isSilent
        return 0
    }

    /// The descriptions of all units that match what is given, in a fixed order. A name may also be
    /// that of the Audio Unit documents, with their type: `3d-mixer`, a mixer, or
    /// `voice-processing`, an output.
    public static func all(
        type: UnitKind.UnitType? = nil, name: String? = nil, manufacturer: String? = nil
    ) -> [UnitDescription] {
        let alias = name.flatMap { UnitAliases.unit($0, type: type) }
        return makers.map(\.unit).filter {
            ($0.kind == alias?.kind
                || (type ?? $0.kind.type) == $0.kind.type && (name ?? $0.kind.name) == $0.kind.name)
                && (manufacturer ?? $0.kind.manufacturer) == $0.kind.manufacturer
        }
    }

    /// The description of the first unit that matches what is given.
    public static func first(
        type: UnitKind.UnitType? = nil, name: String? = nil, manufacturer: String? = nil
    ) -> UnitDescription? {
        all(type: type, name: name, manufacturer: manufacturer).first
    }

    /// A new unit of that kind for a graph of `sampleRate` Hz; nil when there is no such kind,
    /// or when it does not take that rate.
    public static func make(_ kind: UnitKind, sampleRate: Int) -> AudioNode? {
        let found = UnitAliases.unit(kind.name, type: kind.type)?.kind ?? kind
        return makers.first { $0.unit.kind == found }?.make(sampleRate)
    }
}
