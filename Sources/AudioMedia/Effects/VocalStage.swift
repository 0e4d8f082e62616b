import AudioGraph

/// Takes the voice out of a song, or leaves nothing else.
///
/// While it is off it holds nothing back. While it is on it holds back some 0.5 s, in both modes, and
/// changes of mode and amount are crossfades of 20 ms that begin with the next frame to leave it. When
/// it is turned off it gives two frames for each one until it holds none: all at once they would wait
/// behind it, and the next change would be late. The voice depends on the frames before: turned on, the
/// stage goes through those that it remembers, and knows the voice as well as ever when it has taken some
/// 4 s. In frames that are given without their voice, too, it looks for none, and holds nothing back; where these
/// begin while it is on, it goes over to them in 20 ms.
/// Frames are interleaved. For one thread.
final class VocalStage: FrameStage {
    /// The frame as it is.
    private static let unchanged = VocalRemoval().parts

    private let sampleRate: Int
    private let fadeLength: Int
    private let reach: Int
    /// Nil until the stage is on for the first time.
    private var finder: VoiceFinder?
    private var settings = VocalRemoval()
    /// What frames are made of: now, when the fade is over, and how many frames it still takes.
    private var (parts, goal, fadeLeft) = (unchanged, unchanged, 0)
    /// Whether no frame was taken since the stage began anew, so that nothing fades.
    private var isFresh = true
    private var isOn = false
    /// Whether the last frames were given without their voice, too.
    private var isKnown = false
    /// While it is on: the frames that are held, and how many of them the finder was given.
    private var (held, given): ([Float], Int) = ([], 0)
    /// How many of the held frames left the stage before it was turned on.
    private var gone = 0
    /// Of the last of the held frames, those that came since the voice is known, what they are without it.
    private var heldBacking: [Float] = []
    /// Whether the next frames are another song's.
    private var isNewSong = false
    /// How many frames of the fade to these have left.
    private var seam = 0
    /// While it is off: the frames that it still holds.
    private var rest: [Float] = []
    /// The newest frames that it took or recalled.
    private var past: [Float] = []
    /// The place of the next frame to leave.
    private var place = 0
    private var changes: [(removal: VocalRemoval, place: Int)] = []
    /// What was told last.
    private var told = VocalRemoval()
    private var watch: VoiceWatch

    init(sampleRate: Int) {
        self.sampleRate = sampleRate
        fadeLength = max(1, sampleRate / 50)
        reach = VoiceFinder.reach(sampleRate: sampleRate)
        watch = VoiceWatch(sampleRate: sampleRate)
    }

    /// Changes what is taken out, from the next frame on that leaves the stage. Where the voice is
    /// changes within some 0.6 s in the spectral mode.
    func set(_ settings: VocalRemoval) {
        guard settings != self.settings else { return }
        finder?.setPlace(settings.place)
        if settings.place != self.settings.place { watch.forgetVoice() }
        self.settings = settings
        guard wanted != goal else { return }
        (goal, fadeLeft) = (wanted, fadeLength)
        if isFresh { (parts, fadeLeft) = (goal, 0) }
    }

    /// What was begun since this was asked last, each with the place of its first frame.
    func takeChanges() -> [(removal: VocalRemoval, place: Int)] {
        defer { changes = [] }
        return changes
    }

    /// Why the voice of the song cannot be told from the band, each once for a song.
    func takeLimits() -> [EffectLimit] { watch.takeLimits() }

    /// Whether frames pass as they are and none is held, so that they may be skipped.
    var isIdle: Bool {
        !isOn && rest.isEmpty && goal == Self.unchanged && told == settings.audible
            && !(isKnown && fadeLeft > 0)
    }

    /// What frames are to be made of.
    private var wanted: SIMD4<Float> {
        isKnown ? settings.partsOfKnown : settings.parts
    }

    /// `count` frames pass it by.
    func skip(_ count: Int) {
        (isFresh, past) = (false, [])
        place += count
    }

    /// Remembers the last of the frames that it skipped.
    func recall(_ past: [Float]) { self.past = past }

    /// Takes frames of which `backing` is the same without the voice.
    func process(_ input: [Float], backing: [Float], into output: inout [Float]) {
        defer { isNewSong = isNewSong && input.isEmpty }
        if isOn, goal != Self.unchanged, !isNewSong {
            held += input
            heldBacking += backing
            return analyse(into: &output)
        }
        if isOn || !rest.isEmpty { drain(into: &output) }
        know(true)
        (isFresh, past) = (isFresh && input.isEmpty, [])
        var frames: [Float] = []
        frames.reserveCapacity(input.count)
        for n in stride(from: 0, to: input.count, by: 2) {
            advance()
            let mixed = mix(
                SIMD2(input[n], input[n + 1]), backing: SIMD2(backing[n], backing[n + 1]))
            frames.append(mixed.x)
            frames.append(mixed.y)
        }
        give(frames[...], to: &output)
    }

    /// Whether the frames that come are known without their voice. Where that changes nothing fades, unless
    /// the frames before are the song's own: what others are made of cannot be made of these.
    private func know(_ isKnown: Bool) {
        guard isKnown != self.isKnown else { return }
        self.isKnown = isKnown
        if parts != Self.unchanged || fadeLeft == 0 { (parts, fadeLeft) = (wanted, 0) }
        goal = wanted
    }

    func process(_ input: [Float], into output: inout [Float]) {
        (heldBacking, seam) = ([], 0)
        isNewSong = isNewSong && input.isEmpty
        know(false)
        isFresh = isFresh && input.isEmpty
        if !isOn, goal != Self.unchanged { turnOn() }
        remember(input)
        guard isOn else { return pass(input, to: &output) }
        // Beside the centre, or as all that is left, a song that is mono stays.
        let takesAll = settings.place == .centre && !settings.leavesOnlyVoice
        if settings.isOn, settings.mode == .spectral || takesAll {
            watch.take(song: input, settings.mode)
        }
        held += input
        analyse(into: &output)
    }

    func drain(into output: inout [Float]) {
        let end = place + (held.count + rest.count) / 2 - gone
        var last: [Float] = []
        while isOn, place < end {
            held += repeatElement(0, count: 2 * VoiceFinder.hop(sampleRate: sampleRate))
            analyse(into: &last)
        }
        give(rest[...], to: &last)
        output += last.dropLast(2 * (place - end))
        reset(at: end)
    }

    func reset() { reset(at: place) }

    /// The frames that come next are another song's.
    func forgetSong() {
        isNewSong = true
        finder?.forgetSong()
        watch.forgetSong()
    }

    /// The frames that come next do not continue those before, and the first of them is at `place`.
    func reset(at place: Int) {
        finder?.reset()
        (isOn, held, given, gone, rest, past) = (false, [], 0, 0, [], [])
        (heldBacking, seam) = ([], 0)
        (parts, fadeLeft, isFresh) = (goal, 0, true)
        self.place = place
    }

    /// Goes through what is remembered, so that the voice in the next frame is known.
    private func turnOn() {
        let finder = finder ?? VoiceFinder(sampleRate: sampleRate)
        finder.setPlace(settings.place)
        self.finder = finder
        isOn = true
        // As many however the frames came, so that the same frames give the same bits.
        held = past.suffix(2 * reach)
        (given, gone) = (0, (held.count - rest.count) / 2)
        rest = []
    }

    private func turnOff(into output: inout [Float]) {
        finder?.reset()
        // Turned on again, it goes through what it remembers, which must not count twice.
        finder?.forgetSong()
        rest = Array(held[(2 * gone)..<(2 * given)])
        let input = Array(held[(2 * given)...])
        (isOn, held, given, gone) = (false, [], 0, 0)
        (heldBacking, seam) = ([], 0)
        pass(input, to: &output)
    }

    /// Takes frames while the stage is off.
    private func pass(_ input: [Float], to output: inout [Float]) {
        rest += input
        // As many however the frames came, so that the same frames give the same bits.
        let count = min(rest.count, 2 * input.count)
        give(rest[..<count], to: &output)
        rest.removeFirst(count)
    }

    private func remember(_ input: [Float]) {
        past += input
        // Not each time, since all that is kept is moved.
        if past.count > 5 * reach / 2 { past.removeFirst(past.count - 2 * reach) }
    }

    /// Hands frames out.
    private func give(_ frames: ArraySlice<Float>, to output: inout [Float]) {
        if !frames.isEmpty, settings.audible != told {
            told = settings.audible
            changes.append((told, place))
        }
        output += frames
        place += frames.count / 2
    }

    /// Looks for the voice in the frames that came, and hands out those in which it is known.
    private func analyse(into output: inout [Float]) {
        guard let finder else { return }
        let hop = finder.hop
        while isOn, held.count / 2 - given >= hop {
            var voice: [Float] = []
            finder.process(held[(2 * given)..<(2 * (given + hop))], into: &voice)
            given += hop
            guard given > finder.delay else { continue }
            let skipped = min(gone, hop)
            let begin = (held.count - heldBacking.count) / 2
            var frames: [Float] = []
            frames.reserveCapacity(2 * (hop - skipped))
            for frame in skipped..<hop {
                advance()
                let own = SIMD2(held[2 * frame], held[2 * frame + 1])
                var mixed = mix(own, voice: SIMD2(voice[2 * frame], voice[2 * frame + 1]))
                if frame >= begin {
                    let place = 2 * (frame - begin)
                    let backing = SIMD2(heldBacking[place], heldBacking[place + 1])
                    let known = mix(own, backing: backing, settings.partsOfKnown)
                    seam = min(seam + 1, fadeLength)
                    mixed =
                        seam == fadeLength
                        ? known : mixed + (known - mixed) * (Float(seam) / Float(fadeLength))
                }
                frames.append(mixed.x)
                frames.append(mixed.y)
            }
            if settings.mode == .spectral, settings.isOn {
                watch.take(voice: voice, in: held[..<(2 * hop)])
            }
            give(frames[...], to: &output)
            held.removeFirst(2 * hop)
            given -= hop
            gone -= skipped
            heldBacking.removeFirst(max(0, heldBacking.count - held.count))
            if seam == fadeLength { return endSeam(into: &output) }
            if goal == Self.unchanged, fadeLeft == 0 { turnOff(into: &output) }
        }
    }

    /// Hands out what is held, all of which is known without its voice.
    private func endSeam(into output: inout [Float]) {
        let (own, backing) = (held, heldBacking)
        finder?.reset()
        finder?.forgetSong()
        (isOn, held, given, gone, rest, past) = (false, [], 0, 0, [], [])
        know(true)
        (parts, fadeLeft) = (goal, 0)
        process(own, backing: backing, into: &output)
        (heldBacking, seam) = ([], 0)
    }

    /// One frame further in the fade.
    private func advance() {
        guard fadeLeft > 0 else { return }
        parts = fadeLeft == 1 ? goal : parts + (goal - parts) / Float(fadeLeft)
        fadeLeft -= 1
    }

    private func mix(_ own: SIMD2<Float>, voice: SIMD2<Float>) -> SIMD2<Float> {
        if parts == Self.unchanged { return own }
        return parts.x * own + parts.y * voice + (parts.z * own.x + parts.w * own.y)
    }

    /// The same where the voice is what a frame has besides its backing: without the voice it is the
    /// backing to the bit.
    private func mix(_ own: SIMD2<Float>, backing: SIMD2<Float>) -> SIMD2<Float> {
        mix(own, backing: backing, parts)
    }

    private func mix(
        _ own: SIMD2<Float>, backing: SIMD2<Float>, _ parts: SIMD4<Float>
    ) -> SIMD2<Float> {
        if parts == Self.unchanged { return own }
        let share = parts.x + parts.y
        return share == 0 ? parts.x * backing : share * own - parts.y * backing
    }
}

extension VocalRemoval {
    /// As `parts`, for frames whose voice is known: it need not be found, in whatever mode.
    fileprivate var partsOfKnown: SIMD4<Float> {
        leavesOnlyVoice ? [0, 1, 0, 0] : [1, -Float(amount / 100), 0, 0]
    }
}
