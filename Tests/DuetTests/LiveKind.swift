@testable import DuetApp

/// The live commands, by what plays beside the song.
enum LiveKind: CaseIterable {
    case oneMicrophone, twoMicrophones, fourMicrophones, secondSong

    /// What the command mixes.
    var plan: MixPlan {
        var plan =
            switch self {
            case .oneMicrophone: MixPlan(second: .mic(channelCount: 1))
            case .twoMicrophones: MixPlan(second: .mics(2))
            case .fourMicrophones: MixPlan(second: .mics(4))
            case .secondSong: MixPlan(second: .song)
            }
        plan.guardsFeedback = self != .secondSong
        return plan
    }
}
