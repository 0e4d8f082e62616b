import AudioGraph

/// What is known of a kind of unit, for people and as JSON.
enum UnitText {
    static func lines(_ unit: UnitDescription) -> String {
        var lines = ["\(unit.kind): \(unit.summary)"]
        for (word, buses) in [("in", unit.inputs), ("out", unit.outputs)] {
            for bus in buses {
                let last = bus.first + bus.count.upperBound - 1
                let numbers = last > bus.first ? "\(bus.first)…\(last)" : "\(bus.first)"
                lines.append("  \(word) \(numbers)  \(bus.name), \(channels(bus))")
            }
        }
        lines += unit.parameters.map { "  \(line($0))" }
        if !unit.properties.isEmpty {
            let names = unit.properties.map {
                $0.scope == .global ? $0.name : "\($0.name) of each \($0.scope.rawValue)"
            }
            lines.append("  reports \(names.joined(separator: ", "))")
        }
        if !unit.presets.isEmpty {
            lines.append("  presets \(unit.presets.map(\.name).joined(separator: ", "))")
        }
        return lines.joined(separator: "\n")
    }

    private static func channels(_ bus: BusDescription) -> String {
        switch (bus.kind, bus.channels) {
        case (.control, _): "gains"
        case (.audio, 1...1): "mono"
        case (.audio, 2...2): "stereo"
        case (.audio, 1...2): "mono or stereo"
        default: "\(bus.channels.lowerBound)…\(bus.channels.upperBound) channels"
        }
    }

    private static func line(_ parameter: ParameterDescription) -> String {
        let values =
            switch parameter.unit {
            case .switch: "on or off"
            case .choice(let names): names.listed("or")
            default:
                "\(number(parameter.range.lowerBound))…\(number(parameter.range.upperBound)) "
                    + parameter.unit.name
            }
        let first =
            switch parameter.unit {
            case .switch: parameter.defaultValue == 0 ? "off" : "on"
            case .choice(let names): names[Int(parameter.defaultValue)]
            default: number(parameter.defaultValue)
            }
        let scope = parameter.scope == .global ? "" : " of each \(parameter.scope.rawValue)"
        return "\(parameter.name)\(scope)  \(values) "
            + (parameter.isReadOnly ? "(read only)" : "(default: \(first))")
    }

    private static func number(_ value: Double) -> String { JSONValue.number(value).encoded }

    static func json(_ unit: UnitDescription) -> JSONValue {
        .object([
            ("type", .text(unit.kind.type.rawValue)), ("name", .text(unit.kind.name)),
            ("manufacturer", .text(unit.kind.manufacturer)), ("summary", .text(unit.summary)),
            ("inputs", .array(unit.inputs.map(json))),
            ("outputs", .array(unit.outputs.map(json))),
            ("parameters", .array(unit.parameters.map(json))),
            (
                "properties",
                .array(
                    unit.properties.map {
                        .object([
                            ("name", .text($0.name)), ("type", .text($0.type.rawValue)),
                            ("scope", .text($0.scope.rawValue)),
                            ("isWritable", .boolean($0.isWritable)),
                            ("changesByItself", .boolean($0.changesByItself)),
                        ])
                    })
            ),
            ("presets", .array(unit.presets.map(json))),
        ])
    }

    private static func json(_ preset: Preset) -> JSONValue {
        let values = preset.values.sorted { "\($0.key)" < "\($1.key)" }.map {
            JSONValue.object([
                ("parameter", .text("\($0.key.name)")), ("scope", .text($0.key.scope.rawValue)),
                ("element", .count($0.key.element)), ("value", .number($0.value)),
            ])
        }
        return .object([("name", .text(preset.name)), ("values", .array(values))])
    }

    private static func json(_ bus: BusDescription) -> JSONValue {
        .object([
            ("name", .text(bus.name)), ("kind", .text(bus.kind.rawValue)),
            ("number", .count(bus.first)), ("minimumCount", .count(bus.count.lowerBound)),
            ("maximumCount", .count(bus.count.upperBound)),
            ("minimumChannels", .count(bus.channels.lowerBound)),
            ("maximumChannels", .count(bus.channels.upperBound)),
        ])
    }

    private static func json(_ parameter: ParameterDescription) -> JSONValue {
        var members: [(name: String, value: JSONValue)] = [
            ("name", .text("\(parameter.name)")), ("scope", .text(parameter.scope.rawValue)),
            ("unit", .text(parameter.unit.name)),
            ("minimum", .number(parameter.range.lowerBound)),
            ("maximum", .number(parameter.range.upperBound)),
            ("default", .number(parameter.defaultValue)),
            ("curve", .text(parameter.curve.rawValue)),
            ("rampMilliseconds", .count(parameter.ramp)),
            ("readOnly", .boolean(parameter.isReadOnly)),
        ]
        if case .choice(let names) = parameter.unit {
            members.append(("choices", .array(names.map { .text($0) })))
        }
        return .object(members)
    }
}
