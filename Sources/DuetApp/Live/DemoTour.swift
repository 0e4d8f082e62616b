/// What the demo shows in the second half of its song: changes as a user makes them, one after the
/// other. Where the user has set something, or what a preset would set, there is no such change.
struct DemoTour {
    /// Each: so many seconds behind the middle of the song a value is set.
    private static let steps = [
        (seconds: 0.0, address: "/song/vocals/remove", value: "100"),
        (seconds: 3.0, address: "/mic/preset", value: "plate"),
        (seconds: 6.0, address: "/song/key", value: "2"),
    ]

    private var next = 0

    /// The action that is due; nil if none is.
    ///
    /// - Parameters:
    ///   - place: where the song is, in seconds.
    ///   - duration: the song's length, in seconds.
    ///   - plan: the values as they are now.
    mutating func action(at place: Double, of duration: Double, _ plan: MixPlan) -> Action? {
        while next < Self.steps.count, place >= duration / 2 + Self.steps[next].seconds {
            let step = Self.steps[next]
            next += 1
            let vocabulary = plan.vocabulary
            guard let parameter = vocabulary.parameter(step.address) else { continue }
            var changed = [parameter]
            if case .preset(let preset) = parameter.unit {
                changed += vocabulary.parameters.filter { preset.sets($0.address) }
            }
            guard changed.allSatisfy({ plan[$0] == $0.kind.defaultValue }) else { continue }
            guard let value = try? parameter.kind.read(step.value) else { continue }
            return .set(.parameter(parameter), to: value)
        }
        return nil
    }
}
