import AudioGraph
import AudioMedia
import Glibc
import SystemSupport

/// Writes one take on a thread of its own, so that a disk that hangs holds up nobody: the sound files as
/// the tape has them, and `take.json` whenever something is to be said.
final class TakeWriter: Sendable {
    /// What the main thread knows of a take; frames are the graph's.
    enum Order: Sendable {
        case change(Take.Change)
        case hold(Take.Hold)
        case differences(Set<Take.Difference>)
        /// The song that is heard, or better known: in place of the one with that number.
        case song(Take.Song, number: Int)
        /// The take is over before the graph's frame `end`; one that is `shortest` frames or shorter is
        /// removed.
        case finish(end: Int64, shortest: Int64)
    }

    enum News: Sendable {
        case begun(folder: FileName, lead: Int, RoundTrip.Source)
        /// So many seconds have room on the disk.
        case room(seconds: Double)
        /// So many seconds are silent: the disk did not take them in time.
        case gap(seconds: Double)
        /// So many changes of values are kept, and no later ones.
        case full(changes: Int)
        /// `folder` nil: nothing of it is kept.
        case ended(folder: FileName?, seconds: Double)
        case failed(reason: String, folder: FileName?, seconds: Double)
    }

    /// How often the thread looks at the tape, in seconds.
    private static let interval = 0.25
    /// How often the room is looked at, in seconds.
    private static let roomInterval = 2.0

    private let orders = Inbox<Order>(limit: 100_000)
    private let tape: RecorderTape
    private let post: @Sendable (News) -> Void

    /// - Parameter post: takes the news, on the writer's thread.
    init(_ tape: RecorderTape, post: @escaping @Sendable (News) -> Void) {
        self.tape = tape
        self.post = post
    }

    /// Begins the thread. Returns 0, or the errno where there is none left.
    ///
    /// - Parameters:
    ///   - take: what is known of it; the thread adds the round trip to its lead.
    ///   - folder: where its folder is made; nil: in the standard place.
    ///   - roundTrip: finds the round trip; may block for as long as the disk takes.
    func start(
        _ take: Take, in folder: FileName?, roundTrip: @escaping @Sendable () -> RoundTrip
    ) -> Int32 {
        DetachedThread.start("take") { [self] in
            var run = Run(take: take, tape: tape, orders: orders, post: post)
            run.write(in: folder, roundTrip: roundTrip)
        }
    }

    func send(_ order: Order) { orders.post(order) }

    /// How many seconds `take.json` of so many bytes stays as it is at least: what is written takes no
    /// more than 100 kB/s of the disk.
    static func writeInterval(bytes: Int) -> Double { max(1, Double(bytes) / 100_000) }

    /// What the thread knows.
    private struct Run {
        var take: Take
        let tape: RecorderTape
        let orders: Inbox<Order>
        let post: @Sendable (News) -> Void
        var folder: FileName?
        var files: [SoundFileWriter] = []
        /// A descriptor of `song.wav`, whose lock tells others that the take is being recorded. The
        /// system releases it when this program ends in any way.
        var lock: Int32 = -1
        /// The graph's frame of the take's first; nil until it is recorded.
        var start: Int64?
        /// Until then orders wait.
        var waiting: [Order] = []
        var changes = RecordedChanges()
        var isFull = false
        var isSaid = false
        var finish: (end: Int64, shortest: Int64)?
        var nextWrite = 0.0
        var nextRoom = 0.0

        var seconds: Double { Double(take.frames) / Double(take.rate) }

        /// Why the take cannot go on, for people.
        struct Failure: Error {
            let reason: String
        }

        mutating func write(in place: FileName?, roundTrip: () -> RoundTrip) {
            defer { if lock >= 0 { Glibc.close(lock) } }
            do throws(Failure) {
                let found = roundTrip()
                take.lead = min(take.lead + found.frames, Take.longestLead(rate: take.rate))
                take.leadSource = found.source
                try begin(in: place)
                if let folder { post(.begun(folder: folder, lead: take.lead, found.source)) }
                while finish == nil { try turn() }
                try fillEnd()
                try close()
            } catch {
                // What was written stays.
                for file in files { try? file.close() }
                if folder != nil { try? say() }
                post(.failed(reason: error.reason, folder: kept(), seconds: seconds))
            }
        }

        /// The folder, if there is something in it.
        private mutating func kept() -> FileName? {
            if take.frames == 0 { _ = discard() }
            return folder
        }

        private mutating func begin(in place: FileName?) throws(Failure) {
            guard let place = place ?? TakesFolder.standard() else {
                throw Failure(reason: "this user has no home to keep takes in: use --record=FOLDER")
            }
            switch TakesFolder.make(in: place, date: TakesFolder.now().date) {
            case .failure(let problem): throw Failure(reason: problem.text)
            case .success(let made): folder = made
            }
            take.started = TakesFolder.now().time
            for (name, channelCount) in Take.files(of: take.mix.second) {
                files.append(try open(name, channelCount))
                guard !name.hasPrefix("voice") else { continue }
                try writeSilence(Int64(take.lead), to: files[files.count - 1])
            }
            try say()
        }

        private mutating func open(
            _ name: String, _ channelCount: Int
        ) throws(Failure) -> SoundFileWriter {
            let path = (folder ?? "") + FileName("/\(name)")
            let descriptor = Glibc.open(path.cString, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
            guard descriptor >= 0 else { throw Failure(reason: errorText(errno)) }
            if name == "song.wav" {
                lock = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
                flock(lock, LOCK_EX | LOCK_NB)
            }
            do {
                return try SoundFileWriter(
                    descriptor: descriptor, name: path.description, container: .wav,
                    sampleRate: take.rate, channelCount: channelCount, format: .float,
                    survivesKill: true)
            } catch {
                throw Failure(reason: DuetError(error).line)
            }
        }

        private mutating func turn() throws(Failure) {
            // Without a descriptor to be woken by, it only looks again after a while.
            if let descriptor = orders.descriptor {
                _ = waitForInput(descriptor, until: monotonicSeconds() + TakeWriter.interval)
            } else {
                poll(nil, 0, Int32(TakeWriter.interval * 1000))
            }
            let taken = waiting + orders.take().messages
            waiting = []
            // All that was recorded before the end was asked for, and no more, however slow the disk.
            var left = tape.waitingFrames
            while left > 0, let piece = tape.read(atMost: min(left, take.rate)) {
                try write(piece)
                left -= piece.frameCount
            }
            for order in taken { obey(order) }
            let now = monotonicSeconds()
            if !isSaid, now >= nextWrite { try say() }
            if now >= nextRoom { lookForRoom(now) }
        }

        private mutating func write(_ piece: RecorderTape.Piece) throws(Failure) {
            let first = start ?? Int64(piece.frame)
            (start, take.firstFrame) = (first, first)
            try fill(until: Int64(piece.frame) - first)
            for (file, channels) in zip(files, piece.buses) {
                do { try file.write(channels) } catch { throw failure(error) }
            }
            take.frames += Int64(piece.frameCount)
        }

        /// What was lost at the end is silent, too.
        private mutating func fillEnd() throws(Failure) {
            if let start, let finish { try fill(until: finish.end - start) }
        }

        /// Silence in all files up to a frame of the take.
        private mutating func fill(until frame: Int64) throws(Failure) {
            let missing = frame - take.frames
            guard missing > 0 else { return }
            for file in files { try writeSilence(missing, to: file) }
            take.gaps.append(.init(frame: take.frames, count: missing))
            take.frames = frame
            isSaid = false
            post(.gap(seconds: Double(missing) / Double(take.rate)))
        }

        private func writeSilence(_ count: Int64, to file: SoundFileWriter) throws(Failure) {
            var left = count
            while left > 0 {
                let silence = [Float](repeating: 0, count: Int(min(left, 65_536)))
                do {
                    try file.write(Array(repeating: silence, count: file.channelCount))
                } catch { throw failure(error) }
                left -= Int64(silence.count)
            }
        }

        private func failure(_ error: SoundFileError) -> Failure {
            Failure(reason: DuetError(error).line)
        }

        /// Takes an order, the graph's frames in which count from the take's first.
        private mutating func obey(_ order: Order) {
            if case .finish(let end, let shortest) = order {
                finish = (end, shortest)
                return
            }
            guard let start else { return waiting.append(order) }
            isSaid = false
            switch order {
            case .change(var change):
                change.frame = max(0, change.frame - start)
                let isKept = changes.add(change, rate: take.rate)
                if !changes.isWhole { take.differences.insert(.changes) }
                guard !isKept, !isFull else { break }
                isFull = true
                post(.full(changes: changes.list.count))
            case .hold(var hold):
                hold.frame = max(0, hold.frame - start)
                take.holds.append(hold)
            case .differences(let found): take.differences.formUnion(found)
            case .song(var song, let number):
                song.frame -= start
                song.end = song.end.map { max(0, $0 - start) }
                if song.frame < 0 {
                    song.place -= Double(song.frame) / Double(take.rate)
                    song.frame = 0
                }
                if take.songs.indices.contains(number) {
                    take.songs[number] = song
                } else {
                    take.songs.append(song)
                }
            case .finish: break
            }
        }

        private mutating func say() throws(Failure) {
            guard let folder else { return }
            let path = folder + FileName("/\(Take.fileName)")
            take.changes = changes.list
            let text = take.text
            let code = WholeFile.replace(path, with: text, draft: path + ".new")
            guard code == 0 else {
                throw Failure(reason: "cannot write \(path): \(errorText(code))")
            }
            isSaid = true
            nextWrite = monotonicSeconds() + TakeWriter.writeInterval(bytes: text.utf8.count)
        }

        private mutating func lookForRoom(_ now: Double) {
            nextRoom = now + TakeWriter.roomInterval
            var facts = statvfs()
            guard let folder, statvfs(folder.cString, &facts) == 0 else { return }
            let channels = files.map(\.channelCount).reduce(0, +)
            let bytes = Double(facts.f_bavail) * Double(facts.f_frsize)
            post(.room(seconds: bytes / Double(4 * channels * take.rate)))
        }

        private mutating func close() throws(Failure) {
            for file in files {
                do { try file.close() } catch { throw failure(error) }
            }
            take.isComplete = true
            if take.frames <= finish?.shortest ?? 0 {
                let code = discard()
                guard code == 0 else { throw Failure(reason: "cannot delete: \(errorText(code))") }
            } else {
                try say()
            }
            post(.ended(folder: folder, seconds: seconds))
        }

        /// Returns 0, or an errno.
        private mutating func discard() -> Int32 {
            guard let folder else { return 0 }
            let code = TakesFolder.remove(
                folder, files: Take.files(of: take.mix.second).map(\.name))
            if code == 0 { self.folder = nil }
            return code
        }
    }
}
