@testable import DuetApp

/// The live commands, by what plays beside the song.
enum LiveKind: CaseIterable {
    case oneMicrophone, twoMicrophones, secondSong

    /// What the command mixes.
    var plan: MixPlan {
        var plan =
            switch self {
            case .oneMicrophone: MixPlan(second: .mic(channelCount: 1))
            case .twoMicrophones: MixPlan(second: .twoMics)
            case .secondSong: MixPlan(second: .song)
            }
        plan.guardsFeedback = self != .secondSong
        return plan
    }
}
