@testable import DuetApp

/// Carries out any lines, as if a program had sent them to the control socket.
///
/// The rules: a value stays within its range, and is the same when it is spelt and read again; a
/// refusal is short, whatever the line was.
enum CommandAttack {
    static func brokenRule(by input: [UInt8]) -> String? {
        guard let text = String(validating: input, as: UTF8.self) else { return nil }
        var values: [String: Double] = [:]
        for line in text.split(separator: "\n") {
            do throws(Refusal) {
                let command = try Command(line: String(line))
                if case .add(let song, _) = command.verb {
                    guard try Command(line: command.line) == command, !song.isEmpty else {
                        return "\(line) is written \(command.line)"
                    }
                    continue
                }
                let entry = try Vocabulary.all.entry(command.address)
                guard let kind = entry.kind else { continue }
                let old = values[entry.address] ?? kind.defaultValue
                let new = try value(command.verb, of: kind, from: old)
                let isOff = kind.mayBeOff && new == ValueKind.off
                guard isOff || kind.range.contains(new) else { return "\(line): \(new)" }
                guard try kind.read(kind.spelling(new)) == new else {
                    return "\(line): \(new) is spelt \(kind.spelling(new))"
                }
                values[entry.address] = new
            } catch {
                let reason = error.reason
                guard reason.utf8.count < 1000 else { return "\(reason.utf8.count) bytes" }
            }
        }
        return nil
    }

    private static func value(
        _ verb: Command.Verb, of kind: ValueKind, from old: Double
    ) throws(Refusal) -> Double {
        switch verb {
        case .set(let text): return try kind.read(text)
        case .adjust(let steps): return kind.adjusted(old, by: steps)
        case .toggle: return try kind.toggled(old)
        case .save(let name): try OwnPreset.check(name: name, of: .microphone)
        case .trigger, .get, .add: break
        }
        return old
    }
}
