// What cannot be opened is told, but not ten thousand times.
extension SongWorker {
    /// Songs in a row that are told one by one.
    private static let refusalsTold = 10

    /// Tells that a song, or an entry of a playlist, cannot be opened and others follow. Of more
    /// than ten in a row the others are counted.
    func refuse(_ error: SongError) {
        refusedInARow += 1
        if refusedInARow <= Self.refusalsTold { job.control.emit(.skipped(error)) }
    }

    /// Ends a row: tells how many were only counted.
    func tellRefused() {
        let rest = refusedInARow - Self.refusalsTold
        refusedInARow = 0
        guard rest > 0 else { return }
        job.control.emit(
            .skipped(
                .cannotOpen(
                    song: rest == 1 ? "1 more song" : "\(rest) more songs",
                    reason: "of many in a row \(Self.refusalsTold) are named",
                    hint: "check what the playlist holds")))
    }
}
