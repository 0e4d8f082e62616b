import JackIO

extension DuetError {
    /// What went wrong with JACK, as this program says it.
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
