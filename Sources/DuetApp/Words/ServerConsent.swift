import AudioMedia
import Glibc
import SystemSupport

/// Whether the user knows what a server learns, in this run and in those before.
///
/// Main thread; the disk is not waited for.
final class ServerConsent {
    private let server: String
    /// Where the servers stand that the user knows of; nil: nowhere.
    private let file: FileName?
    private let disk: DiskWorker
    /// Nil: that was not looked up yet.
    private(set) var isKnown: Bool?

    init(to server: String, file: FileName?, disk: DiskWorker) {
        (self.server, self.file, self.disk) = (server, file, disk)
    }

    /// Passes on whether the user knows what the server learns.
    func read(_ then: @escaping (Bool) throws(DuetError) -> Void) {
        if let isKnown {
            do throws(DuetError) { try then(isKnown) } catch {}
            return
        }
        let (file, server) = (file, server)
        let read = { @Sendable in
            let bytes = file.flatMap { try? WholeFile.bytes(of: $0, atMost: 10_000) } ?? []
            return String(decoding: bytes, as: UTF8.self).split(separator: "\n")
                .contains(Substring(server))
        }
        disk.run(on: .words, isAwaited: false, read) { [self] result throws(DuetError) in
            let isKnown = (try? result.get()) ?? false
            self.isKnown = isKnown
            try then(isKnown)
        }
    }

    /// Keeps that the user knows it now.
    func give() {
        isKnown = true
        guard let file else { return }
        let server = server
        disk.run(
            on: .words,
            {
                guard UserFolder.make(file.folder) == 0 else { return }
                let old = (try? WholeFile.bytes(of: file, atMost: 10_000)) ?? []
                _ = WholeFile.replace(
                    file, with: String(decoding: old, as: UTF8.self) + server + "\n",
                    draft: file + FileName(".\(getpid())"))
            }
        ) { _ in }
    }
}
