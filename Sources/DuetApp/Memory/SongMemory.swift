import AudioMedia
import SystemSupport

/// What is remembered of songs, read and changed by one call after the other, each on a thread of its
/// own: a disk that hangs holds up nobody.
///
/// Main thread.
final class SongMemory {
    /// A song of this run: its bus, and its number among those of the bus.
    struct Ticket: Sendable, Equatable {
        let bus: Int
        let number: Int
    }

    /// What is to be done, in the order in which it was asked for.
    enum Job: Sendable {
        case read(Location, Ticket)
        case remove(Location)
        /// A value of nil is remembered no more.
        case change(Location, [String: Double?])
    }

    enum Answer: Sendable {
        case values([String: Double], Ticket)
        /// Something was remembered, and is not any more.
        case removed
        /// What is wrong with a song's file, for people.
        case unread(String)
        /// Why something could not be changed, for people.
        case unkept(String)
    }

    /// The most jobs that wait: so many songs are over while a disk hangs.
    private static let mostWaiting = 64

    private let store: SongStore
    private var waiting: [Job] = []
    /// Jobs under way.
    private let batch = PendingCall<[Answer]>()
    /// What is to be told of jobs that were left out, or cannot be done yet.
    private var failures: [Answer] = []

    init(_ store: SongStore) { self.store = store }

    /// Has `job` done soon. A change of a song that waits already goes with that. While a disk hangs for
    /// long the newest jobs are left out, which `take` tells.
    func add(_ job: Job) {
        if case .change(let song, let changes) = job,
            case .change(song, let earlier)? = waiting.last
        {
            waiting[waiting.count - 1] = .change(song, earlier.merging(changes) { $1 })
        } else if waiting.count < Self.mostWaiting {
            waiting.append(job)
        } else {
            failures.append(.unkept("\(store.folder) is not responding"))
        }
        begin()
    }

    /// Readable (poll(2)) when `take` has something to do; nil while nothing is under way.
    var descriptor: Int32? { batch.descriptor }

    /// What has come since the last call.
    func take() -> [Answer] {
        defer { failures = [] }
        let answers = batch.take() ?? []
        begin()
        return failures + answers
    }

    /// Waits until all is done, at most so many milliseconds. Returns what has come; where the time
    /// was too short, that is among it.
    func finish(milliseconds: Int) -> [Answer] {
        let end = Clock.seconds + Double(milliseconds) / 1000
        begin()
        var answers: [Answer] = []
        while batch.isUnderWay {
            guard let found = batch.finish(seconds: end - Clock.seconds) else {
                return answers + [.unkept("\(store.folder) is not responding")]
            }
            answers += found
            begin()
        }
        return answers + failures
    }

    /// Begins what waits. Without a thread or a descriptor it waits on, and is begun by a later call.
    private func begin() {
        guard !batch.isUnderWay, !waiting.isEmpty else { return }
        let (jobs, store) = (waiting, store)
        do throws(BoundedCall.Failure) {
            try batch.start { jobs.flatMap { Self.answers(to: $0, from: store) } }
            waiting = []
        } catch {
            guard case .notBegun(let code) = error, failures.isEmpty else { return }
            failures = [.unkept("no thread can be made: \(errorText(code))")]
        }
    }

    private static func answers(to job: Job, from store: SongStore) -> [Answer] {
        switch job {
        case .read(let location, let ticket):
            guard let song = RememberedSong(location) else { return [.values([:], ticket)] }
            let (values, problem) = store.values(of: song)
            return (problem.map { [.unread($0)] } ?? []) + [.values(values, ticket)]
        case .remove(let location):
            guard let song = RememberedSong(location) else { return [] }
            let (wasKept, problem) = store.remove(song)
            return (problem.map { [.unkept($0)] } ?? []) + (wasKept ? [.removed] : [])
        case .change(let location, let changes):
            guard let song = RememberedSong(location) else { return [] }
            return store.change(changes, of: song).map { [.unkept($0)] } ?? []
        }
    }
}
