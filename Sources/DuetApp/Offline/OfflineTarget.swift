import AudioMedia

/// Where a render goes, and who is told of it: checked before anything is opened.
struct OfflineTarget {
    let place: OutputPlace
    let container: SoundContainer
    let reporter: any EventSink
    /// What people see of it; nil for scripts.
    let view: (any View)?
    /// Whether what is reported goes anywhere: to who reads the reporter's output, or into a log.
    let isRead: Bool

    /// - Parameter take: whose files are not written to; nil: no take is rendered.
    init(
        _ output: FileName, take: StoredTake?, report: ReportStyle
    ) throws(DuetError) {
        guard let container = OutputPlace.container(for: output) else {
            throw DuetError(.unknownFormat(path: output.description))
        }
        self.container = container
        place = try OutputPlace(output)
        if container != .flac, place.kind == .pipe {
            throw DuetError(
                status: .cannotCreate, attempt: "cannot write \(output)",
                result: "it is a pipe, and the head of a file of that kind is written last",
                hint: "a FLAC can go there")
        }
        if report.isJSON, place.isStandardOutput, place.kind != .device {
            throw DuetError(
                status: .usage, attempt: "cannot write \(output)",
                result: "--json writes its events there", hint: "leave one of them out")
        }
        if let take, take.isOwn(place) {
            throw DuetError(
                status: .usage, attempt: "cannot write \(output)",
                result: "it is a file of the take", hint: "give -o another name")
        }
        // What is rendered into standard output is not mixed with text.
        let console = place.isStandardOutput ? Output.error : .standard
        isRead = !console.isDiscarded || report.logLevel != nil
        let reporter: any Reporter =
            report.isJSON
            ? JSONReporter()
            : PlainReporter(redraws: !report.isPlain, look: .own, output: console)
        (self.reporter, view) = (Journal(reporter: reporter), reporter as? any View)
    }

    /// The file, in which nothing is created yet. Without a format it has the best that its kind has:
    /// a WAV floats, a FLAC 24 bits.
    func file(sampleRate: Int, format: SampleFormat?) -> OfflineFile {
        OfflineFile(
            place, container, sampleRate: sampleRate,
            format: format ?? (container.isWave ? .float : .int24))
    }
}
