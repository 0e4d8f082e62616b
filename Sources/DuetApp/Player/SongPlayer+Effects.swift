import AudioMedia

extension SongPlayer {
    /// Refuses a value of the song's effects that this song cannot have.
    func check(_ parameter: MixParameter, _ value: Double) throws(Refusal) {
        guard parameter.unit == .timePitch else { return }
        let tuning =
            switch parameter.name {
            case .tempo: SongTuning(tempo: value)
            case .varispeed: SongTuning(varispeed: value)
            default: SongTuning(key: value)
            }
        let effects = SongEffects(tuning: tuning ?? SongTuning())
        if let hold = plan.tuningHold, plan.possible(effects) != effects {
            throw Refusal(reason: hold)
        }
        guard let source else { return }
        let isLive = queue?.info?.station != nil
        let limit = effects.limited(isLive: isLive, rate: source.feed.sampleRate).limit
        if let limit { throw Refusal(reason: limit.description) }
    }
}
