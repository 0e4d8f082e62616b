import AudioGraph

/// The values of a take while it is mixed again or played, and their changes, forth and back.
struct TakeChanges: Sendable {
    /// A change of the mix, in seconds from its beginning.
    struct Change: Sendable, Equatable {
        var time: Double
        var parameter: MixParameter
        var value: Double
    }

    /// The values that hold now.
    private(set) var mix: MixPlan
    /// The values before the first change.
    private var start: MixPlan
    /// The addresses whose values the user has given, and no change of the take changes.
    private var given: Set<String>
    private let rate: Int
    private var changes: [(frame: Int64, change: Change)] = []
    /// How many of `changes` hold.
    private var count = 0
    /// Whether all values are to be set again.
    private var isReplaced = false

    /// - Parameters:
    ///   - mix: the values before the first change.
    ///   - rate: that of the mix, in Hz.
    init(_ mix: MixPlan, _ changes: [Change] = [], given: Set<String> = [], rate: Int) {
        (self.mix, start, self.given, self.rate) = (mix, mix, given, rate)
        replace(with: changes)
        isReplaced = false
    }

    /// The same values change at other times.
    mutating func replace(with changes: [Change]) {
        let timed = changes.map {
            (frame: SongTime.frame(at: $0.time, rate: rate), change: $0)
        }
        // Of changes in one frame the order counts.
        self.changes = timed.enumerated().sorted {
            ($0.element.frame, $0.offset) < ($1.element.frame, $1.offset)
        }.map(\.element)
        isReplaced = true
    }

    var isEmpty: Bool { changes.isEmpty }

    /// The frame of the next change; nil: there is none.
    var nextFrame: Int64? { count < changes.count ? changes[count].frame : nil }

    /// The user has given these values, which are now as in `plan`; presets come before what they set.
    mutating func give(_ parameters: [MixParameter], of plan: MixPlan) {
        for parameter in parameters {
            given.insert(parameter.address)
            start[parameter] = plan[parameter]
            mix[parameter] = plan[parameter]
        }
    }

    /// Has the values hold that hold at `frame`, and returns what is to be set in the graph.
    mutating func move(to frame: Int64) -> [(parameter: MixParameter, value: Double)] {
        var values: [(parameter: MixParameter, value: Double)] = []
        // Back in time: from the beginning on.
        if isReplaced || count > 0 && changes[count - 1].frame > frame {
            (mix, count, isReplaced) = (start, 0, false)
            values = mix.vocabulary.parameters.map { ($0, mix[$0]) }
        }
        while let next = nextFrame, next <= frame {
            let change = changes[count].change
            count += 1
            if given.contains(change.parameter.address) { continue }
            values += set(change.parameter, to: change.value)
        }
        return values
    }

    /// As `LiveMix.set`, but for what is given.
    private mutating func set(
        _ parameter: MixParameter, to value: Double
    ) -> [(parameter: MixParameter, value: Double)] {
        guard case .preset(let preset) = parameter.unit else {
            mix[parameter] = value
            return [(parameter, value)]
        }
        let set = mix.vocabulary.parameters.filter { preset.sets($0.address) }
        let kept = set.filter { given.contains($0.address) }.map { ($0, mix[$0]) }
        mix[parameter] = value
        for (parameter, value) in kept { mix[parameter] = value }
        return set.map { ($0, mix[$0]) }
    }
}

extension Take {
    /// The changes of what `mix` has, in seconds from the beginning of `song.wav`, with the voices
    /// `offset` seconds later. What concerns song and output began to sound a round trip later in the
    /// files than it was made. Key, tempo and vocals are in the files already.
    func timedChanges(in mix: MixPlan, offset: Double) -> [TakeChanges.Change] {
        timedChanges(in: mix, offset: offset, lead: lead)
    }

    /// The same, each in the frame in which it was heard, in seconds from there where the take began.
    func heardChanges(in mix: MixPlan) -> [TakeChanges.Change] {
        timedChanges(in: mix, offset: 0, lead: 0)
    }

    private func timedChanges(
        in mix: MixPlan, offset: Double, lead: Int
    ) -> [TakeChanges.Change] {
        let vocabulary = mix.vocabulary
        return changes.compactMap { change in
            guard let parameter = vocabulary.parameter(change.parameter.address),
                !parameter.unit.isStage
            else { return nil }
            let isOfVoice = Microphone.all.contains { $0.owns(parameter.address) }
            let time =
                isOfVoice
                ? Double(change.frame) / Double(rate) + offset
                : (Double(change.frame) + Double(lead)) / Double(rate)
            return TakeChanges.Change(time: time, parameter: parameter, value: change.value)
        }
    }
}

extension MixPlan {
    /// Sets what the user gives in the place of a take's value. Returns the addresses that this gives:
    /// also what a preset sets, and the switch of an effect that it turns on.
    mutating func give(_ assignment: Assignment) throws(Refusal) -> Set<String> {
        let vocabulary = vocabulary
        var given: Set = [assignment.address]
        if let parameter = vocabulary.parameter(assignment.address) {
            if let off = switchedOff(for: parameter) { given.insert(off.address) }
            if case .preset(let preset) = parameter.unit {
                given.formUnion(vocabulary.parameters.map(\.address).filter(preset.sets))
            }
        }
        try set([assignment], turningOn: true)
        return given
    }
}
