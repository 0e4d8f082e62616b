import AudioMedia

extension DuetError {
    /// A song that is lost, as this program says it.
    init(_ error: SongError) {
        self.init(
            status: error.hadBegun ? .inputOutput : .noInput, attempt: error.message, result: "",
            hint: error.hint)
    }

    /// A sound file that cannot be written, as this program says it.
    init(_ error: SoundFileError) {
        let (status, hint): (ExitStatus, String) =
            switch error {
            case .unknownFormat: (.usage, "end it in .wav or .flac")
            case .unsupported: (.usage, "choose other --bits or --rate, or .wav")
            case .cannotCreate: (.cannotCreate, "check the folder and your rights there")
            case .writeFailed: (.inputOutput, "check the space on the disk")
            }
        self.init(status: status, attempt: error.description, result: "", hint: hint)
    }
}
