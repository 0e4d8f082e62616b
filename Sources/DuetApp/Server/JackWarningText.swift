import JackIO

/// What the program tells its user of a warning of JACK's: the library's facts, and what to do.
extension JackWarning {
    /// What takes it back.
    var topic: Topic? {
        switch self {
        case .noPhysicalPort(let side, _), .noMatch(let side, _, _): .ports(side)
        case .connectionRefused(let wire), .connectionIgnored(let wire),
            .connectionRefusedOrInactive(let wire, _):
            .wire(wire)
        case .serverNotBack: .server
        case .noRealtimeScheduling: .realtime
        case .nameTaken, .noSoundCard, .portsNotBack: nil
        }
    }

    var text: String {
        switch self {
        case .nameTaken, .noSoundCard, .portsNotBack: description
        case .noRealtimeScheduling: "\(description); run 'duet doctor'"
        case .noPhysicalPort(let side, let candidates), .noMatch(let side, _, let candidates):
            candidates.isEmpty
                ? description
                : "\(description); for \(side.option) try "
                    + candidates.joined(separator: ", ")
        case .connectionRefused, .connectionIgnored: "\(description); connect them in a patchbay"
        case .connectionRefusedOrInactive: "\(description); then connect them in a patchbay"
        case .serverNotBack(let error):
            "the JACK server is not back yet: \(DuetError(error).line)"
        }
    }
}

extension JackWarning.Side {
    /// The option that names its ports.
    fileprivate var option: String {
        switch self {
        case .microphone(let number): "--\(Microphone.all[number - 1].option)"
        case .outputs: "--out"
        }
    }
}
