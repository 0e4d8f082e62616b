import AudioMedia

extension SongDescription {
    /// What scripts are told of the song.
    func facts(bus: Int, appliesGain: Bool) -> Event.SourceFacts {
        Event.SourceFacts(
            bus: bus, url: location, codec: format.codec, rate: format.sampleRate,
            channels: format.channelCount, bitrate: station?.bitrate ?? format.bitrate,
            duration: duration,
            seekable: isSeekable, live: station != nil,
            gain: appliesGain ? gain : 1, station: station?.name,
            knownVoice: knownVoice, stemOrigin: stemOrigin)
    }
}
