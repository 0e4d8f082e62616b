import AudioMedia
import SystemSupport

/// The command `add`: adds songs to the list of the duet that runs.
struct Add: ProgramCommand {
    static let summary = "Add songs to the list of a running duet."
    static let usage = "<SONG> ... [--next] [--singer <name>] [--to <name>]"
    static let discussion = """
        Adds to the duet that you started last, in any terminal, and prints each song's number \
        in the list.
        """
    static let arguments = [
        CommandArgument(
            name: "SONG", help: "Audio file, folder, playlist or http(s) URL.", mayRepeat: true)
    ]

    let options: OptionValues

    init(_ options: OptionValues) { self.options = options }

    func run() throws {
        let (songs, next) = (options.words, options[.next])
        try StoredTake.refuse(among: songs, "add") { "play it by itself: duet play \($0)" }
        let names = try songs.map(Self.name)
        let running = try RunningDuet.newest(client: options[.to])
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
            switch try running.ask(.add(names[index], isNext: next, singer: options[.singer])) {
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
            throw Refusal(reason: "standard input (-) cannot be added to a running duet")
        case .remote: return location.name
        case .file(let path):
            if let refusal = SongFinding.read(location).refusal(at: location) {
                throw DuetError(refusal)
            }
            // A line of commands has no line break, and no space at its end.
            let name = location.whole.name
            let isPlain = !name.contains(where: \.isNewline) && name.last?.isWhitespace != true
            return isPlain ? name : path.address
        }
    }
}
