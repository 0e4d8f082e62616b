import AudioMedia
import Glibc
import JackIO
import SystemSupport

/// Says how to get realtime scheduling, at the first start without it; a file in the user's state
/// folder marks that it was said.
///
/// Main thread; the disk and the system's list of users are asked on another, which may take its
/// time.
final class RealtimeNotice {
    private final class Advice: Sendable {
        let text = Guarded<String?>(nil)
    }

    /// Nil: there is no place for it, and each start says it.
    private let folder: FileName?
    private let advice = Advice()
    /// Set when `advice` is there; nil once it was taken, and before `begin`.
    private var end: EventFlag?
    private var hasBegun = false

    init(folder: FileName?) { self.folder = folder }

    /// To be called when JACK has no realtime scheduling. Calls after the first do nothing.
    func begin() {
        guard !hasBegun else { return }
        hasBegun = true
        end = BoundedCall.start { [folder, advice] in
            let text = Self.advice(markedIn: folder)
            advice.text.withLock { $0 = text }
        }
    }

    /// Readable (poll(2)) when `take` has something to do; nil while nothing is under way.
    var descriptor: Int32? { end?.descriptor }

    /// The advice, once; nil while it is not known, or when an earlier start has said it.
    func take() -> String? {
        guard let end, end.wait(milliseconds: 0) else { return nil }
        self.end = nil
        return advice.text.withLock { $0 }
    }

    private static func advice(markedIn folder: FileName?) -> String? {
        let marker = folder.map { $0 + "/realtime-advice" }
        if let marker, marker.isThere { return nil }
        let advice = RealtimeAdvice(.ofThisUser(), isPipeWire: Libjack.isPipeWire).text
        if let folder, let marker, UserFolder.make(folder) == 0 {
            let file = open(marker.cString, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
            if file >= 0 { close(file) }
        }
        return "to get realtime scheduling, \(advice)"
    }
}
