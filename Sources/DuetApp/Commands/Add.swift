import ArgumentParser
import AudioMedia
import SystemSupport

/// The command `add`: adds songs to the list of the duet that runs.
struct Add: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Add songs to the list of the duet that runs.",
        discussion: """
            It reaches the duet that you have started last, in any terminal of yours; the songs play \
            when it is their turn. It prints the number that each has in the list.
            """)

    @Argument(
        help: ArgumentHelp(
            "An http(s) URL, a file, a folder or a playlist, one after the other.",
            valueName: "SONG"),
        transform: songArgument)
    var songs: [String]

    @Flag(help: "Put them behind the song that plays, and not at the end.")
    var next = false

    @Option(
        help: ArgumentHelp("The JACK client name of the duet to reach.", valueName: "name"))
    var to: String?

    func run() throws {
        let names = try songs.map(Self.name)
        let running = try RunningDuet.newest(client: to)
        // Each comes behind the song that plays: the last one goes first.
        let order = next ? Array(songs.indices.reversed()) : Array(songs.indices)
        var numbers = ListNumbers()
        defer {
            for (index, number) in numbers.inOrder {
                let line = SafeText.withoutCredentials(
                    "song \(number): \(Location.shown(songs[index]))")
                Output.standard.write(line + "\n")
            }
        }
        for index in order {
            let song = songs[index]
            switch try running.ask(Command(adding: names[index], isNext: next)) {
            case .success(let answer):
                let number = answer.split(separator: " ").last.flatMap { Int($0) }
                if let number, (1...SongQueue.longestList).contains(number) {
                    numbers.add(index, at: number)
                }
            case .failure(let refusal):
                throw DuetError(
                    status: .failure, attempt: "cannot add \(Location.shown(song))",
                    result: refusal.reason,
                    hint: "")
            }
        }
    }

    /// What the running program, which has another folder, finds the song by, in one line. Refuses a
    /// file that is not there or cannot be played; an address is told of when its turn comes.
    private static func name(of song: String) throws -> String {
        let location: Location
        do throws(SongError) { location = try Location(song) } catch { throw DuetError(error) }
        switch location {
        case .standardInput:
            throw ValidationError("a running duet does not read this program's standard input")
        case .remote: return location.name
        case .file(let path):
            if let refusal = SongCheck.refusal(of: location) { throw DuetError(refusal) }
            // A line of commands has no line break, and no space at its end.
            let name = location.whole.name
            let isPlain = !name.contains(where: \.isNewline) && name.last?.isWhitespace != true
            return isPlain ? name : path.address
        }
    }
}
