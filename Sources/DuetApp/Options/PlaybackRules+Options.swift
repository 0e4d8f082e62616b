extension PlaybackRules {
    init(_ time: LiveTimeOptions, _ song: SongOptions, _ transport: TransportOptions) {
        self.init(
            loops: time.common.loop, between: time.between, stays: time.stay.map { $0 == .stay },
            transport: transport.transport, appliesGain: !song.noReplayGain)
    }
}
