import AudioGraph

/// What the values at an address are: how they are read, told and changed.
struct ValueKind: Sendable, Hashable {
    let unit: ParameterUnit
    private let fixedRange: ClosedRange<Double>
    /// The presets that are chosen from, to which users add while the program runs; nil for all else.
    private var preset: PresetKind?
    let defaultValue: Double
    /// Whether there may be no value: `off`.
    var mayBeOff = false
    /// Whether seconds are a place in a song, as `1:30`, and not how long something takes.
    var isPlace = false
    /// Whether the value at the beginning changes nothing, so that it may also be written `off` or
    /// `none`.
    var beginsOff = false

    /// Stands for no value: below every range.
    static let off = -Double.infinity
    /// Stands for values that are no preset's any more: above every range. It is told and never read.
    static let own = Double.infinity

    init(
        unit: ParameterUnit, range: ClosedRange<Double>, defaultValue: Double,
        mayBeOff: Bool = false, isPlace: Bool = false, beginsOff: Bool = false
    ) {
        self.unit = unit
        fixedRange = range
        self.defaultValue = defaultValue
        self.mayBeOff = mayBeOff
        self.isPlace = isPlace
        self.beginsOff = beginsOff
    }

    /// The choice of a preset.
    init(choosing preset: PresetKind) {
        self.init(
            unit: .choice([]), range: 0...0, defaultValue: Double(preset.neutral), beginsOff: true)
        self.preset = preset
    }

    /// The values of a unit's parameter.
    init(_ parameter: ParameterDescription) {
        self.init(
            unit: parameter.unit, range: parameter.range, defaultValue: parameter.defaultValue)
    }

    var range: ClosedRange<Double> {
        preset.map { 0...Double($0.names.count - 1) } ?? fixedRange
    }

    /// The names of a choice, in the order of their numbers; nil for other units.
    var choices: [String]? {
        guard case .choice(let names) = unit else { return nil }
        return preset?.names ?? names
    }

    /// The same with another value at the beginning, which changes nothing; with `off` there may be
    /// none later, too.
    func startingAt(_ value: Double) -> ValueKind {
        ValueKind(
            unit: unit, range: range, defaultValue: value, mayBeOff: value == Self.off,
            isPlace: isPlace, beginsOff: true)
    }

    /// Reads a value as users write it, within the range, or `default`.
    func read(_ text: String) throws(Refusal) -> Double {
        if text == "default" || beginsOff && ["off", "none"].contains(text.lowercased()) {
            return defaultValue
        }
        if mayBeOff, text == "off" { return Self.off }
        guard let value = number(text.lowercased()), range.contains(value) else {
            let near = nearestNames(text)
            throw Refusal(
                reason: near.isEmpty
                    ? "use \(rangeText), not '\(text.prefix(40))'"
                    : "'\(text.prefix(40))' is unknown; did you mean \(near.listed("or"))?")
        }
        return value
    }

    /// The names of a choice that are near `text`.
    private func nearestNames(_ text: String) -> [String] {
        guard let names = choices, text.utf8.count <= 100 else { return [] }
        return nearest(to: plainName(text), among: names)
    }

    /// The value that `text` stands for in this unit, perhaps beyond the range.
    private func number(_ text: String) -> Double? {
        switch unit {
        case .gain: Volume(text)?.gain
        case .pan: Pan(text)?.position
        case .seconds where isPlace: ClockTime(text)?.seconds
        case .seconds: seconds(text)
        case .switch:
            switch text {
            case "on", "true", "yes", "1": 1
            case "off", "false", "no", "0": 0
            default: nil
            }
        case .choice:
            choices?.firstIndex { plainName($0) == plainName(text) }.map(Double.init)
        case .decibels: Double(text.hasSuffix("db") ? text.dropLast(2).trimmed : text[...])
        case .percent: Double(text.hasSuffix("%") ? text.dropLast().trimmed : text[...])
        case .hertz, .degrees, .metres, .semitones, .number: Double(text)
        }
    }

    /// What may be written, for people: `left, centre, right or -1…1`.
    var rangeText: String {
        let ends = "\(plain(range.lowerBound))…\(plain(range.upperBound))"
        let numbers: [String] =
            switch unit {
            case .switch, .choice: []
            case .gain:
                [
                    "\(ends) or a level like -6dB, up to "
                        + "\(fixed(Decibels(gain: range.upperBound).value, digits: 0))dB"
                ]
            case .pan, .number: [ends]
            case .seconds where isPlace: ["a time like 90, 1:30 or 0:01:30 (up to a year)"]
            case .decibels: ["\(ends) dB"]
            case .percent: ["\(ends) %"]
            case .hertz: ["\(ends) Hz"]
            case .seconds: ["\(ends) s"]
            case .degrees, .metres, .semitones: ["\(ends) \(unit.name)"]
            }
        return (unit == .pan ? names + numbers : numbers + names).listed("or")
    }

    /// The values that are words.
    var names: [String] {
        let names: [String] =
            switch unit {
            case .switch: ["on", "off"]
            case .choice: choices ?? []
            case .pan: ["left", "centre", "right"]
            default: []
            }
        return names + (mayBeOff || beginsOff ? ["off"] : [])
    }

    /// The value for people: `-3.0 dB`, `left`, `on`.
    func text(_ value: Double) -> String {
        if mayBeOff, value == Self.off { return "off" }
        return switch unit {
        case .gain: Volume(gain: value).description
        case .pan: Pan(value).description
        case .seconds where isPlace: ClockTime(seconds: value).description
        case .seconds:
            // The sign says which way, where there are two.
            (range.lowerBound < 0 && value > 0 ? "+" : "")
                + (abs(value) < 1
                    ? "\(plain(tenths(value * 1000))) ms" : "\(plain(tenths(value))) s")
        case .hertz: "\(plain(value)) Hz"
        case .decibels: Decibels(value).description
        case .percent: "\(plain(value)) %"
        case .semitones: value > 0 ? "+\(plain(value))" : plain(value)
        case .switch, .choice, .degrees, .metres, .number: spelling(value)
        }
    }

    /// The value as `read` reads it, exact.
    func spelling(_ value: Double) -> String {
        if mayBeOff, value == Self.off { return "off" }
        if value == Self.own { return "own" }
        return switch unit {
        case .switch: value == 0 ? "off" : "on"
        case .choice: choices?[Int(value)] ?? plain(value)
        default: plain(value)
        }
    }

    /// The value as people write it, where that is exact, as `-3dB`, else as `spelling`.
    func readableSpelling(_ value: Double) -> String {
        guard unit == .gain, value > 0 else { return spelling(value) }
        let text = "\(plain(inHundredths(Decibels(gain: value).value, after: 0)))dB"
        return (try? read(text)) == value ? text : spelling(value)
    }

    /// The value at the beginning for the help of an option: `off` rather than `0 dB` where both are read.
    var helpDefault: String {
        if case .choice = unit { return spelling(defaultValue) }
        return beginsOff ? "off" : readableSpelling(defaultValue)
    }

    /// The value for scripts.
    func json(_ value: Double) -> JSONValue {
        if mayBeOff, value == Self.off { return .null }
        return switch unit {
        case .switch: .boolean(value != 0)
        case .choice: .text(spelling(value))
        default: .number(value)
        }
    }

    /// `value` moved by so many steps of the unit: dB for a gain, places in the list for a choice
    /// (after the last comes the first), else the unit itself. Stays within the range.
    func adjusted(_ value: Double, by amount: Double) -> Double {
        if mayBeOff, value == Self.off { return value }
        switch unit {
        case .gain: return Volume(gain: value).stepped(by: amount).gain
        case .choice:
            let count = range.upperBound + 1
            let moved = (value + amount.rounded()).truncatingRemainder(dividingBy: count)
            return moved < 0 ? moved + count : moved
        case .switch: return amount > 0 ? 1 : amount < 0 ? 0 : value
        default:
            // To millionths: ten steps of a tenth are one whole.
            let moved = ((value + amount) * 1e6).rounded() / 1e6
            return min(max(moved, range.lowerBound), range.upperBound)
        }
    }

    /// The other value of a switch; of a percentage from 0 on, nothing, or what it was `before` it
    /// was nothing (nil: not known), or else all.
    func toggled(_ value: Double, before: Double? = nil) throws(Refusal) -> Double {
        if unit == .percent, range.lowerBound == 0 {
            return value > 0 ? 0 : before ?? range.upperBound
        }
        guard unit == .switch else {
            throw Refusal(reason: "only a switch or a percentage from 0 can be toggled")
        }
        return 1 - value
    }

    private func tenths(_ value: Double) -> Double { (value * 10).rounded() / 10 }

    /// Whole numbers without a point.
    private func plain(_ value: Double) -> String {
        value == value.rounded() && abs(value) < 1e9 ? "\(Int(value))" : "\(value)"
    }
}

/// Seconds: `0.3`, `0.3 s`, `300ms`.
private func seconds(_ text: String) -> Double? {
    if text.hasSuffix("ms") { return Double(text.dropLast(2).trimmed).map { $0 / 1000 } }
    return Double(text.hasSuffix("s") ? text.dropLast().trimmed : text[...])
}

/// `value` to hundredths, where the step to it was in hundredths: ten steps of a tenth are one
/// whole, and many steps up and as many down end where they began.
private func inHundredths(_ value: Double, after step: Double) -> Double {
    let isEven = abs(step * 100 - (step * 100).rounded()) < 1e-6
    return isEven ? (value * 100).rounded() / 100 : value
}

extension Substring {
    fileprivate var trimmed: Substring { last == " " ? dropLast() : self }
}

extension Volume {
    /// The volume `decibels` louder or softer. Below −60 dB lies silence, and the first step up
    /// from there is −60 dB.
    func stepped(by decibels: Double) -> Volume {
        let lowest = -60.0
        guard gain > 0 else { return decibels > 0 ? Volume(Decibels(lowest)) : self }
        let stepped = inHundredths(self.decibels.value + decibels, after: decibels)
        if stepped < lowest { return decibels < 0 ? .silent : Volume(Decibels(lowest)) }
        return stepped == 0 ? .unity : Volume(Decibels(stepped))
    }
}
