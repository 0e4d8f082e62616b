import AudioGraph

/// The values of a take while it is mixed again, and the changes that are still to come.
struct TakeChanges: Sendable {
    /// A change of the mix, in seconds from its beginning.
    struct Change: Sendable, Equatable {
        var time: Double
        var parameter: MixParameter
        var value: Double
    }

    /// The values that hold now.
    private(set) var mix: MixPlan
    /// The addresses whose values the user has given, and no change of the take changes.
    private let given: Set<String>
    private var changes: ArraySlice<(frame: Int64, change: Change)>

    /// - Parameters:
    ///   - mix: the values before the first change.
    ///   - rate: that of the mix, in Hz.
    init(_ mix: MixPlan, _ changes: [Change] = [], given: Set<String> = [], rate: Int) {
        self.mix = mix
        self.given = given
        let timed = changes.filter { !given.contains($0.parameter.address) }.map {
            (frame: SongTime.frame(at: $0.time, rate: rate), change: $0)
        }
        // Of changes in one frame the order counts.
        self.changes =
            timed.enumerated().sorted {
                ($0.element.frame, $0.offset) < ($1.element.frame, $1.offset)
            }.map(\.element)[...]
    }

    /// The frame of the next change; nil: there is none.
    var nextFrame: Int64? { changes.first?.frame }

    /// Takes the changes up to `frame`, and returns what is to be set in the graph.
    mutating func take(upTo frame: Int64) -> [(parameter: MixParameter, value: Double)] {
        var values: [(parameter: MixParameter, value: Double)] = []
        while let next = changes.first, next.frame <= frame {
            changes.removeFirst()
            values += set(next.change.parameter, to: next.change.value)
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
