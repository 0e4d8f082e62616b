import Glibc

/// What a command line says before its options are read.
enum Commands {
    /// Refuses a first word that is nearly the name of a command, unless there is such a file: in
    /// `duet rendr song.mp3`, `rendr` would be read as a song. Songs need no `sing` before them, so
    /// that a song called `song` is not taken for it.
    static func checkCommand(_ arguments: some Sequence<String>) throws(DuetError) {
        guard let word = Array(arguments.prefix(1)).first, word.utf8.count <= 100,
            word.allSatisfy(\.isLetter), CommandName(rawValue: word) == nil, word != "help",
            access(word, F_OK) != 0
        else { return }
        let near = nearest(
            to: word, among: CommandName.allCases.map(\.rawValue).filter { $0 != "sing" })
        guard !near.isEmpty else { return }
        throw DuetError(
            status: .usage, attempt: "no command or song '\(word)'", result: "",
            hint: "did you mean \(near.listed("or"))?")
    }

    /// Refuses songs with the name of a command, unless there are such files: in
    /// `duet --loop play song.mp3`, `play` is read as a song.
    static func checkSongs(_ songs: [String]) throws(DuetError) {
        for song in songs where CommandName(rawValue: song) != nil && access(song, F_OK) != 0 {
            throw DuetError(
                status: .usage, attempt: "no song '\(song)'", result: "",
                hint: "put the command first: duet \(song) …")
        }
    }
}

extension CommandName {
    var type: any ProgramCommand.Type {
        switch self {
        case .sing: Sing.self
        case .play: Play.self
        case .mix: Mix.self
        case .add: Add.self
        case .stage: StageCommand.self
        case .render: Render.self
        case .separate: SeparateCommand.self
        case .takes: Takes.self
        case .demo: Demo.self
        case .doctor: Doctor.self
        case .presets: Presets.self
        case .addresses: Addresses.self
        case .config: ConfigCommand.self
        case .forget: ForgetCommand.self
        case .graph: GraphCommand.self
        case .units: Units.self
        }
    }
}
