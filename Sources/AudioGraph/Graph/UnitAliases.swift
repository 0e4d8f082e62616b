/// The names by which the Audio Unit documents call units of ours.
enum UnitAliases {
    private static let all: [(type: UnitKind.UnitType, name: String, unit: UnitDescription)] = {
        var all: [(UnitKind.UnitType, String, UnitDescription)] = [
            (.output, "remote-io", HardwareIO.unit),
            (.mixer, "multichannel-mixer", MixerNode.unit),
            (.effect, "ipod-eq", EqualizerNode.unit),
            (.effect, "nband-eq", EqualizerNode.unit),
            (.effect, "peak-limiter", LimiterNode.unit),
            (.effect, "dynamics-processor", CompressorNode.unit),
            (.converter, "format-converter", Converter.unit),
        ]
        #if Spatial
        // One panner for each source, in front of an input of a mixer.
        all.append((.mixer, "3d-mixer", BinauralPannerNode.unit))
        all.append((.mixer, "spatial-mixer", BinauralPannerNode.unit))
        #endif
        #if Speech
        all.append((.output, "voice-processing", VoiceProcessorNode.unit))
        all.append((.output, "voice-processing-io", VoiceProcessorNode.unit))
        #endif
        return all
    }()

    /// The unit that the documents call so; nil when there is none.
    static func unit(_ name: String, type: UnitKind.UnitType?) -> UnitDescription? {
        all.first { $0.name == name && (type ?? $0.type) == $0.type }?.unit
    }
}
