import ArgumentParser
import Glibc

/// What the program can be told to do.
enum Commands {
    static var all: [any ParsableCommand.Type] {
        [Sing.self, Play.self, Mix.self, Render.self, Graph.self, Doctor.self, Demo.self]
    }

    /// As they are typed.
    static var names: [String] { all.map { "\($0)".lowercased() } }

    /// Refuses songs with the name of a command, unless there are such files: a command behind an
    /// option is read as a song, and what it was to do is not guessed.
    static func checkNames(ofSongs songs: [String]) throws(DuetError) {
        let names = names
        for song in songs where names.contains(song) && access(song, F_OK) != 0 {
            throw DuetError(
                status: .usage, attempt: "there is no song “\(song)”", result: "",
                hint: "the command comes first: duet \(song) …")
        }
    }
}
