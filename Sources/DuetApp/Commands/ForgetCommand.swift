import AudioMedia
import Glibc
import SystemSupport

/// The command `forget`: removes all that is kept of the user.
struct ForgetCommand: ProgramCommand {
    static let summary = "Delete everything that duet keeps of you."
    static let usage = "[--yes]"
    static let discussion = """
        Deletes the settings of songs and singers, your presets, lists that can be resumed, the \
        index of your music, words that were fetched or timed by tapping, the backings of songs and the models of their \
        separators, and the choices of the screen. It leaves \
        takes, duet.conf, keys.conf and files beside songs alone. On a terminal it asks first.
        """

    let options: OptionValues

    init(_ options: OptionValues) { self.options = options }

    func run() throws {
        let own = [UserFolder.state, UserFolder.cache].compactMap { $0 }
        guard !own.isEmpty else {
            throw DuetError(
                status: .noInput, attempt: "cannot forget anything",
                result: "this user has no home, and nothing is kept", hint: "")
        }
        let folders = own.filter(\.isThere)
        guard !folders.isEmpty else { return Output.standard.write("nothing is kept\n") }
        let names = folders.map(\.description).joined(separator: " and ")
        guard try options[.yes] || isWanted(names) else {
            return Output.standard.write("nothing is deleted\n")
        }
        for folder in folders {
            let (count, problem) = FolderRemoval.run(folder)
            if let problem {
                throw DuetError(
                    status: .cannotCreate, attempt: "cannot delete all of \(folder)",
                    result: problem, hint: "")
            }
            Output.standard.write(
                "deleted \(folder): \(count) \(count == 1 ? "file" : "files")\n")
        }
    }

    /// Asks the user. Without a terminal there is nobody to ask.
    private func isWanted(_ folders: String) throws(DuetError) -> Bool {
        guard isatty(STDIN_FILENO) == 1, isatty(STDOUT_FILENO) == 1 else {
            throw DuetError(
                status: .usage, attempt: "cannot ask whether to delete \(folders)",
                result: "this is no terminal", hint: "use duet forget --yes")
        }
        Output.standard.write("Delete everything in \(folders)? [y/N] ")
        Output.drain(seconds: 1)
        return readLine()?.lowercased().first == "y"
    }
}
