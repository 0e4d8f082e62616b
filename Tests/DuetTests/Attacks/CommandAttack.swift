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
                let action = try Action(line: String(line), in: .all)
                guard try Action(line: action.line, in: .all) == action else {
                    return "\(line) is written \(action.line)"
                }
                guard let (target, change) = change(by: action) else { continue }
                let kind = target.kind
                let old = values[target.address] ?? kind.defaultValue
                let new = try change(old)
                let isOff = kind.mayBeOff && new == ValueKind.off
                guard isOff || kind.range.contains(new) else { return "\(line): \(new)" }
                guard try kind.read(kind.spelling(new)) == new else {
                    return "\(line): \(new) is spelt \(kind.spelling(new))"
                }
                values[target.address] = new
            } catch {
                let reason = error.reason
                guard reason.utf8.count < 1000 else { return "\(reason.utf8.count) bytes" }
            }
        }
        return nil
    }

    /// What an action changes, and what it makes of a value.
    private static func change(
        by action: Action
    ) -> (target: Action.Target, new: (Double) throws(Refusal) -> Double)? {
        switch action {
        case .set(let target, to: let value):
            (target, { _ in value ?? target.kind.defaultValue })
        case .adjust(let target, by: let steps): (target, { target.kind.adjusted($0, by: steps) })
        case .toggle(let target):
            (target, { old throws(Refusal) in try target.kind.toggled(old) })
        case .get, .save, .trigger, .page, .add, .find: nil
        }
    }
}
