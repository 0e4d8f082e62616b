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

    /// Jobs under way, and what they brought.
    private struct Batch {
        let end: EventFlag
        let answers: Answers
    }

    private final class Answers: Sendable {
        let list = Guarded<[Answer]>([])
    }

    /// The most jobs that wait: so many songs are over while a disk hangs.
    private static let mostWaiting = 64

    private let store: SongStore
    private var waiting: [Job] = []
    private var batch: Batch?

    init(_ store: SongStore) { self.store = store }

    /// Has `job` done soon. While a disk hangs for long the newest jobs are left out.
    func add(_ job: Job) {
        guard waiting.count < Self.mostWaiting else { return }
        waiting.append(job)
        begin()
    }

    /// Readable (poll(2)) when `take` has something to do; nil while nothing is under way.
    var descriptor: Int32? { batch?.end.descriptor }

    /// What has come since the last call.
    func take() -> [Answer] {
        guard let batch, batch.end.wait(milliseconds: 0) else { return [] }
        self.batch = nil
        begin()
        return batch.answers.list.withLock { $0 }
    }

    /// Waits until all is done, at most so many milliseconds. Returns what has come; where the time
    /// was too short, that is among it.
    func finish(milliseconds: Int) -> [Answer] {
        let end = Clock.seconds + Double(milliseconds) / 1000
        var answers: [Answer] = []
        while let batch {
            guard batch.end.wait(milliseconds: max(0, Int((end - Clock.seconds) * 1000))) else {
                return answers + [.unkept("\(store.folder) is not responding")]
            }
            answers += take()
        }
        return answers
    }

    private func begin() {
        guard batch == nil, !waiting.isEmpty else { return }
        let (jobs, answers, store) = (waiting, Answers(), store)
        waiting = []
        let end = BoundedCall.start {
            for job in jobs {
                let found = Self.answers(to: job, from: store)
                answers.list.withLock { $0 += found }
            }
        }
        // Without a thread, or a descriptor, nothing is remembered: the song plays all the same.
        batch = end.map { Batch(end: $0, answers: answers) }
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
