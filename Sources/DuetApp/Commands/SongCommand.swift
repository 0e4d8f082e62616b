import ArgumentParser

/// A command that plays songs which the command line names.
protocol SongCommand: ParsableCommand {
    /// The songs as they were typed.
    var songs: [String] { get }
}
