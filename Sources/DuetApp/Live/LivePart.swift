/// A part of a live run: takes turns on the main thread with the others.
protocol LivePart: AnyObject {
    /// Readable when the part has something to do; negative numbers are no descriptors.
    var descriptors: [Int32] { get }

    /// Seconds until the next turn is due in any case; infinite if only a descriptor wakes the part.
    var secondsLeft: Double { get }

    /// Handles what is due. Never waits.
    func update() throws(DuetError)

    /// Ends what has begun, after the last turn. May wait for a disk.
    func finish() throws(DuetError)
}

extension LivePart {
    var descriptors: [Int32] { [] }
    var secondsLeft: Double { .infinity }
    func finish() throws(DuetError) {}
}

extension DiskWorker: LivePart {}

extension MusicFinder: LivePart {}

extension WordsFetcher: LivePart {}

extension WordsTapper: LivePart {}

extension BackingMaker: LivePart {}

extension LiveSongs: LivePart {
    var secondsLeft: Double { secondsUntilLyrics }
    func update() throws(DuetError) { try handleMessages() }
}

extension ListReader: LivePart {}

extension LiveList: LivePart {
    func update() throws(DuetError) { try report() }
    func finish() throws(DuetError) { try report(now: true) }
}
