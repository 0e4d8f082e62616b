import AudioMedia
import Glibc
import SystemSupport

/// The command `forget`: removes all that is kept of the user.
struct ForgetCommand: ProgramCommand {
    static let summary = "Delete everything that duet keeps of you."
    static let usage = "[--yes]"
    static let discussion = """
        Deletes the settings of songs and singers, your presets, lists that can be resumed, the \
        index of your music, and the choices of the screen. It leaves takes, duet.conf and \
        keys.conf alone. On a terminal it asks first.
        """

    let options: OptionValues

    init(_ options: OptionValues) { self.options = options }

    func run() throws {
        guard let folder = UserFolder.state else {
            throw DuetError(
                status: .noInput, attempt: "cannot forget anything",
                result: "this user has no home, and nothing is kept", hint: "")
        }
        guard folder.isThere else { return Output.standard.write("nothing is kept\n") }
        guard try options[.yes] || isWanted(folder) else {
            return Output.standard.write("nothing is deleted\n")
        }
        let (count, problem) = FolderRemoval.run(folder)
        if let problem {
            throw DuetError(
                status: .cannotCreate, attempt: "cannot delete all of \(folder)", result: problem,
                hint: "")
        }
        Output.standard.write("deleted \(folder): \(count) \(count == 1 ? "file" : "files")\n")
    }

    /// Asks the user. Without a terminal there is nobody to ask.
    private func isWanted(_ folder: FileName) throws(DuetError) -> Bool {
        guard isatty(STDIN_FILENO) == 1, isatty(STDOUT_FILENO) == 1 else {
            throw DuetError(
                status: .usage, attempt: "cannot ask whether to delete \(folder)",
                result: "this is no terminal", hint: "use duet forget --yes")
        }
        Output.standard.write("Delete everything in \(folder)? [y/N] ")
        Output.drain(seconds: 1)
        return readLine()?.lowercased().first == "y"
    }
}
