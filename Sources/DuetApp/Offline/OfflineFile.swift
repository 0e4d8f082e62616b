import AudioMedia
import Glibc
import SystemSupport

/// The file that is rendered to. With its first frames, or by `prepare`, a part is created beside it, which takes its name
/// at the end of a whole render: until then an older file of that name stays as it is. A device or a
/// pipe is written as it is.
final class OfflineFile {
    /// Frames a second, in Hz.
    let sampleRate: Int
    private let place: OutputPlace
    private let container: SoundContainer
    private let format: SampleFormat
    private var writer: SoundFileWriter?
    /// The part, until it has the file's name.
    private var part: FileName?

    init(
        _ place: OutputPlace, _ container: SoundContainer, sampleRate: Int, format: SampleFormat
    ) {
        self.place = place
        self.container = container
        self.sampleRate = sampleRate
        self.format = format
    }

    /// Whether what was written stays: a pipe has passed it on.
    var isKept: Bool { place.kind != .pipe }
    /// Where the frames are that were written, as it may be shown.
    var location: String { (part ?? place.name).description }

    /// Frames written so far.
    var frameCount: Int64 { writer?.frameCount ?? 0 }

    /// Seconds written so far.
    var seconds: Double { Double(frameCount) / Double(sampleRate) }

    /// Creates what is written to, unless it was.
    ///
    /// - Parameter tags: title and artist, which go into the file.
    func prepare(_ tags: SongTags? = nil) throws(DuetError) {
        if writer == nil { writer = try open(tags) }
    }

    /// Adds frames, equally many for each side.
    func write(_ sides: [[Float]]) throws(DuetError) {
        guard sides.contains(where: { !$0.isEmpty }) else { return }
        try prepare()
        do { try writer?.write(sides) } catch {
            // The reader of a pipe was waited for until then.
            throw Signals.isStopping ? .interrupted : DuetError(error)
        }
    }

    /// Ends what was written, and gives it the file's name where it `isWhole`. A part without a frame is
    /// removed.
    func close(isWhole: Bool) throws(DuetError) {
        guard let writer else { return }
        do {
            // The old file is given up for one that is on the disk.
            try writer.close(toDisk: isWhole && part != nil)
        } catch {
            removeEmptyPart()
            throw DuetError(error)
        }
        removeEmptyPart()
        guard isWhole, let part else { return }
        let code = WholeFile.put(part, inPlaceOf: place.target)
        guard code == 0 else {
            throw DuetError(.writeFailed(path: place.name.description, reason: errorText(code)))
        }
        self.part = nil
    }

    private func removeEmptyPart() {
        guard frameCount == 0, let part else { return }
        unlink(part.cString)
        self.part = nil
    }

    private func open(_ tags: SongTags?) throws(DuetError) -> SoundFileWriter {
        let descriptor = try place.kind == .file ? createPart() : openAsItIs()
        do {
            return try SoundFileWriter(
                descriptor: descriptor, name: place.name.description, container: container,
                sampleRate: sampleRate, format: format, tags: tags,
                isCancelled: place.kind == .pipe ? { Signals.isStopping } : nil)
        } catch {
            removeEmptyPart()
            throw DuetError(error)
        }
    }

    /// Creates a file in the target's folder, by a name that nothing there has, and with the rights of the
    /// file that is to be replaced.
    private func createPart() throws(DuetError) -> Int32 {
        // The longest name of most disks is 255 bytes.
        let name = place.target.folder + place.target.last.prefix(240)
        // Others get their rights when it belongs to whom the old file does.
        let mode: mode_t = place.facts == nil ? 0o644 : 0o600
        for number in 1...1000 {
            let part = name + FileName(number == 1 ? ".part" : ".part\(number)")
            let descriptor = Glibc.open(part.cString, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, mode)
            if descriptor >= 0 {
                self.part = part
                if let facts = place.facts {
                    let hasGroup =
                        fchown(descriptor, facts.st_uid, facts.st_gid) == 0
                        || fchown(descriptor, .max, facts.st_gid) == 0
                    // The rights of the old group are not another one's.
                    fchmod(descriptor, facts.st_mode & (hasGroup ? 0o777 : 0o707))
                }
                return descriptor
            }
            guard errno == EEXIST else { break }
        }
        let reason = errorText(errno)
        throw OutputPlace.refusal(
            of: place.name,
            place.facts == nil ? reason : "cannot write beside it: \(reason)")
    }

    /// Waits for the reader of a pipe, until the user stops the program.
    private func openAsItIs() throws(DuetError) -> Int32 {
        while true {
            // A socket cannot be opened, nor can every pipe of another user's.
            let isOwn = place.kind == .pipe && place.isStandardOutput
            let flags = O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC
            let descriptor =
                isOwn
                ? fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3)
                : Glibc.open(place.name.cString, flags)
            if descriptor >= 0 {
                guard isatty(descriptor) == 0 else {
                    Glibc.close(descriptor)
                    throw OutputPlace.refusal(
                        of: place.name, "it is a terminal", hint: "name a file")
                }
                if place.kind == .device { _ = fcntl(descriptor, F_SETFL, O_WRONLY) }
                return descriptor
            }
            guard errno == ENXIO, place.kind == .pipe else {
                throw OutputPlace.refusal(of: place.name, errorText(errno))
            }
            poll(nil, 0, 100)
            if Signals.isStopping { throw .interrupted }
        }
    }
}
