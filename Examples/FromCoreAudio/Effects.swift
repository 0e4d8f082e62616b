import AudioGraph

/// Effects, each as a user of the documents would set it.
func useEffects() throws {
    let equalizer = EqualizerNode(sampleRate: 48_000)
    try equalizer.use(preset: "Hip Hop")
    equalizer.bands[0].gain = Decibels(6)
    equalizer.filters[0].kind = .highShelf
    equalizer.filters[0].frequency = 8000
    print(EqualizerNode.unit.presets.map(\.name).count)
    let delay = DelayNode(sampleRate: 48_000)
    delay.time = 0.25
    delay.feedback = 40
    let reverb = ReverbNode(sampleRate: 48_000)
    reverb.decay = 2
    let remover = VocalRemoverNode()
    remover.amount = 100
}
