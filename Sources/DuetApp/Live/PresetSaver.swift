import SystemSupport

/// Saves presets of the user's own.
///
/// Main thread; files are written on others.
struct PresetSaver {
    let mix: LiveMix
    let journal: Journal
    let disk: DiskWorker

    /// Saves what a preset sets, as it is now, as a preset of the user's own, which is chosen then.
    ///
    /// - Returns: what it is called: one of the same name in other letters keeps its own.
    func save(_ parameter: MixParameter, as name: String) throws(Refusal) -> String {
        guard case .preset(let preset) = parameter.unit else { return "" }
        var values: [String: Double] = [:]
        for parameter in preset.parameters {
            let value = mix.plan[parameter]
            if value != parameter.kind.defaultValue {
                values[preset.ending(of: parameter.address)] = value
            }
        }
        try OwnPreset.check(name: name, of: preset.kind)
        guard let folder = PresetFolder.own else {
            throw Refusal(reason: "this user has no home to keep presets in")
        }
        let own = preset.kind.own
        let isThere = own.contains { plainName($0.name) == plainName(name) }
        guard isThere || own.count < PresetFolder.most else {
            throw Refusal(reason: "there are \(PresetFolder.most) presets: remove one")
        }
        let saved = OwnPreset(kind: preset.kind, name: name, values: values)
        // Elsewhere it may be chosen already, with other values.
        let others = mix.plan.vocabulary.parameters.filter {
            if case .preset(let other) = $0.unit, $0 != parameter {
                other.kind == preset.kind
            } else {
                false
            }
        }
        let labels = others.map { mix.plan[$0] }
        let warn = { [journal] (problem: String) throws(DuetError) in
            try journal.warn("cannot save the preset '\(name)': \(problem)")
        }
        disk.run(
            on: .presets, { folder.write(saved) },
            late: { () throws(DuetError) in try warn("\(folder.path) is not responding") },
            then: { result throws(DuetError) in
                switch result {
                case .success(""): break
                case .success(let problem): try warn(problem)
                case .failure(.notBegun(let code)):
                    try warn("no thread can be made: \(errorText(code))")
                case .failure: break
                }
            })
        saved.add()
        try mix.set(parameter, to: parameter.kind.read(name))
        let renamed = zip(others, labels).filter { mix.plan[$0] != $1 }.map {
            ValueChange(address: $0.address, kind: $0.kind, old: $1, new: mix.plan[$0])
        }
        if !renamed.isEmpty { journal.tell(.changes(renamed, by: .user)) }
        return parameter.kind.spelling(mix.plan.chosen(parameter))
    }
}
