import AudioMedia
import Glibc
import SystemSupport

extension DuetError {
    /// The program's error for a song that is lost.
    init(_ error: SongError) {
        self.init(
            status: error.hadBegun ? .inputOutput : .noInput, attempt: error.description,
            result: "", hint: error.fault.hint)
    }

    /// The same where it is about a file that a song was taken apart into: that is no address.
    init(ofStem error: SongError) {
        self.init(error)
        if case .notOpened(_, nil, _) = error.fault { hint = "check its name" }
    }

    /// The program's error for a sound file that cannot be written.
    init(_ error: SoundFileError) {
        let (status, hint): (ExitStatus, String) =
            switch error {
            case .unknownFormat:
                (.usage, "give it a name that ends in \(SoundContainer.endings)")
            case .unsupported: (.usage, "choose other --bits or --rate, or .wav")
            case .cannotCreate(_, let reason) where reason.hasSuffix(errorText(ENOSPC)):
                (.cannotCreate, "check the space on the disk")
            case .cannotCreate: (.cannotCreate, "check the folder and your rights there")
            case .writeFailed(_, errorText(EPIPE)): (.inputOutput, "the reader has closed the pipe")
            case .writeFailed: (.inputOutput, "check the space on the disk")
            }
        self.init(status: status, attempt: error.description, result: "", hint: hint)
    }
}
