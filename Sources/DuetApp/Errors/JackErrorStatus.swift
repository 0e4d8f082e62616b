import JackIO

extension DuetError {
    /// The program's error for an error of JACK's.
    init(_ error: JackError) {
        let status: ExitStatus =
            switch error {
            case .stopped: .success
            case .system, .portRefused, .activationFailed: .failure
            default: .unavailable
            }
        self.init(status: status, attempt: error.message, result: "", hint: error.hint)
    }
}
