@testable import DuetApp

/// A part of the program that reads bytes from outside, and the rules that hold for any bytes.
enum ProgramAttack: String, CaseIterable {
    case session, keys, commands

    /// Gives `input` to the part, and returns the rule that the part broke, or nil.
    func brokenRule(by input: [UInt8]) -> String? {
        switch self {
        case .session: SessionAttack.brokenRule(by: input)
        case .keys: KeyAttack.brokenRule(by: input)
        case .commands: CommandAttack.brokenRule(by: input)
        }
    }
}
