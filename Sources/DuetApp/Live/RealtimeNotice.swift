import AudioMedia
import Glibc
import JackIO
import SystemSupport

/// Says how to get realtime scheduling at each start without it, until a user has seen it; a file in
/// the user's state folder marks that.
///
/// Main thread; the disk and the system's list of users are asked on another, which may take its
/// time.
final class RealtimeNotice: LivePart {
    private final class Advice: Sendable {
        let text = Guarded<String?>(nil)
    }

    /// Nil: there is no place for it, and each start says it.
    private let folder: FileName?
    private let advice = Advice()
    /// Set when `advice` is there; nil once it was taken, and before `begin`.
    private var end: EventFlag?
    private var hasBegun = false

    private let journal: Journal
    /// Whether a user sees what is reported.
    private let isAttended: Bool

    init(folder: FileName?, isAttended: Bool, journal: Journal) {
        self.folder = folder
        self.isAttended = isAttended
        self.journal = journal
    }

    /// To be called when JACK has no realtime scheduling. Calls after the first do nothing.
    func begin() {
        guard !hasBegun else { return }
        hasBegun = true
        end = BoundedCall.start { [folder, advice] in
            let text = Self.advice(markedIn: folder)
            advice.text.withLock { $0 = text }
        }
    }

    var descriptors: [Int32] { [end?.descriptor].compactMap { $0 } }

    func update() throws(DuetError) {
        guard let advice = take() else { return }
        try journal.warn(advice, about: .realtime)
        if isAttended { markSeen() }
    }

    /// The advice, once; nil while it is not known, or when the user has seen it at an earlier start.
    private func take() -> String? {
        guard let end, end.wait(milliseconds: 0) else { return nil }
        self.end = nil
        return advice.text.withLock { $0 }
    }

    /// Marks that the user has seen the advice. Does not wait for the disk.
    private func markSeen() {
        guard let folder else { return }
        _ = BoundedCall.start {
            guard UserFolder.make(folder) == 0 else { return }
            let flags = O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC
            let file = open(Self.marker(in: folder).cString, flags, 0o600)
            if file >= 0 { close(file) }
        }
    }

    private static func marker(in folder: FileName) -> FileName { folder + "/realtime-advice" }

    private static func advice(markedIn folder: FileName?) -> String? {
        if let folder, marker(in: folder).isThere { return nil }
        let advice = RealtimeAdvice(.ofThisUser(), isPipeWire: Libjack.isPipeWire).text
        return "to get realtime scheduling, \(advice)"
    }
}
