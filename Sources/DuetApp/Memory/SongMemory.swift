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
        case read(SungSong, Ticket)
        case remove(SungSong)
        /// A value of nil is remembered no more.
        case change(SungSong, [String: Double?])
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
    private let disk: DiskWorker
    /// Takes what has come.
    private let tell: (Answer) throws(DuetError) -> Void
    private var waiting: [Job] = []
    private var isUnderWay = false
    /// Time at which work is begun again for which there was no thread, in seconds of the clock.
    private(set) var retryTime = Double.infinity

    init(
        _ store: SongStore, disk: DiskWorker, tell: @escaping (Answer) throws(DuetError) -> Void
    ) {
        (self.store, self.disk, self.tell) = (store, disk, tell)
    }

    /// Has `job` done soon. A change of a song that waits already goes with that. While a disk hangs for
    /// long the newest jobs are left out, which is told.
    func add(_ job: Job) throws(DuetError) {
        if case .change(let song, let changes) = job,
            case .change(song, let earlier)? = waiting.last
        {
            waiting[waiting.count - 1] = .change(song, earlier.merging(changes) { $1 })
        } else if waiting.count < Self.mostWaiting {
            waiting.append(job)
        } else {
            try tell(notResponding)
        }
        begin()
    }

    private var notResponding: Answer { .unkept("\(store.folder) is not responding") }

    /// Begins what waits.
    func begin() {
        guard !isUnderWay, !waiting.isEmpty else { return }
        let (jobs, store) = (waiting, store)
        (waiting, isUnderWay, retryTime) = ([], true, .infinity)
        let late: DiskWorker.Continuation = { [self] () throws(DuetError) in
            let isChange = jobs.contains { if case .read = $0 { false } else { true } }
            if isChange { try tell(notResponding) }
        }
        disk.run(
            on: .songs, { jobs.flatMap { Self.answers(to: $0, from: store) } }, late: late
        ) { [self] result throws(DuetError) in
            isUnderWay = false
            switch result {
            case .success(let answers):
                begin()
                for answer in answers { try tell(answer) }
            case .failure(.notBegun(let code)):
                // What waited longest comes first again.
                waiting = jobs + waiting
                retryTime = Clock.seconds + 0.5
                try tell(.unkept("no thread can be made: \(errorText(code))"))
            case .failure: try tell(notResponding)
            }
        }
    }

    private static func answers(to job: Job, from store: SongStore) -> [Answer] {
        switch job {
        case .read(let sung, let ticket):
            guard let song = RememberedSong(sung.song, singer: sung.singer) else {
                return [.values([:], ticket)]
            }
            let (values, problem) = store.values(of: song)
            return (problem.map { [.unread($0)] } ?? []) + [.values(values, ticket)]
        case .remove(let sung):
            guard let song = RememberedSong(sung.song, singer: sung.singer) else { return [] }
            let (wasKept, problem) = store.remove(song)
            return (problem.map { [.unkept($0)] } ?? []) + (wasKept ? [.removed] : [])
        case .change(let sung, let changes):
            guard let song = RememberedSong(sung.song, singer: sung.singer) else { return [] }
            return store.change(changes, of: song).map { [.unkept($0)] } ?? []
        }
    }
}
