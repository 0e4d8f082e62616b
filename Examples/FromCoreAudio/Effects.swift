import AudioGraph
import AudioMedia

/// Effects, each as a user of the documents would set it.
func useEffects() throws {
    let equalizer = EqualizerNode()
    try equalizer.use(preset: "Hip Hop")
    equalizer.bands[0].gain = Decibels(6)
    equalizer.filters[0].kind = .highShelf
    equalizer.filters[0].frequency = 8000
    print(EqualizerNode.unit.presets.map(\.name).count)
    let delay = DelayNode()
    delay.time = 0.25
    delay.feedback = 40
    let reverb = ReverbNode()
    reverb.decay = 2
    let compressor = CompressorNode()
    compressor.threshold = Decibels(-24)
    let song = SongSource(sampleRate: 48_000)
    let queue = SongQueue([try Location("song.mp3")], source: song)
    queue.effects.tuning = SongTuning(key: 2, tempo: 90) ?? SongTuning()
    queue.stop()
    let remover = VocalRemoverNode()
    remover.amount = 100
}
