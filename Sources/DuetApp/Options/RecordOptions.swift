import ArgumentParser
import AudioMedia

/// Whether takes are recorded.
struct RecordOptions: ParsableArguments {
    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            """
            Record song, voice and mix from the start, each take in a new folder in this one \
            (default: duet in your music folder). A key (r) starts and stops recording, too.
            """, valueName: "folder"),
        completion: .directory, transform: folderArgument)
    var record: Place?

    enum Place {
        /// As `TakesFolder.standard`.
        case standard
        case folder(FileName)
    }

    /// As `LivePlan.takes`.
    var takes: (isOn: Bool, folder: FileName?)? {
        switch record {
        case nil: nil
        case .standard: (true, nil)
        case .folder(let name): (true, name)
        }
    }
}
