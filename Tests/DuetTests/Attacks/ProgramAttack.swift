@testable import duet

/// A part of the program that reads what others wrote, and the rules that hold whatever that is.
enum ProgramAttack: String, CaseIterable {
    case session, keys

    /// Gives the part `input`; the rule that it broke, or nil.
    func brokenRule(by input: [UInt8]) -> String? {
        switch self {
        case .session: SessionAttack.brokenRule(by: input)
        case .keys: KeyAttack.brokenRule(by: input)
        }
    }
}
