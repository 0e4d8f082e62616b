import AudioMedia
import Glibc
import JackIO
import SystemSupport

/// Says how to get realtime scheduling at each start without it, until a user has seen it; a file in
/// the user's state folder marks that.
///
/// Main thread; the disk and the system's list of users are asked on another.
final class RealtimeNotice {
    /// Nil if there is no place for the mark: then each start says it.
    private let folder: FileName?
    private var hasBegun = false
    private let journal: Journal
    private let disk: DiskWorker
    /// Whether a user sees what is reported.
    private let isAttended: Bool

    init(folder: FileName?, isAttended: Bool, journal: Journal, disk: DiskWorker) {
        self.folder = folder
        self.isAttended = isAttended
        (self.journal, self.disk) = (journal, disk)
    }

    /// To be called when JACK has no realtime scheduling. Calls after the first do nothing.
    func begin() {
        guard !hasBegun else { return }
        hasBegun = true
        disk.run(on: .notices, isAwaited: false, { [folder] in Self.advice(markedIn: folder) }) {
            [self] result throws(DuetError) in
            guard case .success(let advice?) = result else { return }
            try journal.warn(advice, about: .realtime)
            if isAttended { markSeen() }
        }
    }

    /// Marks that the user has seen the advice.
    private func markSeen() {
        guard let folder else { return }
        let work = { @Sendable in
            guard UserFolder.make(folder) == 0 else { return }
            let flags = O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC
            let file = open(Self.marker(in: folder).cString, flags, 0o600)
            if file >= 0 { close(file) }
        }
        disk.run(on: .notices, isAwaited: false, work) { _ in }
    }

    private static func marker(in folder: FileName) -> FileName { folder + "/realtime-advice" }

    private static func advice(markedIn folder: FileName?) -> String? {
        if let folder, marker(in: folder).isThere { return nil }
        let advice = RealtimeAdvice(.ofThisUser(), isPipeWire: Libjack.isPipeWire).text
        return "to get realtime scheduling, \(advice)"
    }
}
