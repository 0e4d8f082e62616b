import AudioMedia
import Glibc

/// Keeps the view that the user has chosen, from run to run: a word in a file of the user's state folder.
final class ViewMemory {
    private let view: (any View)?
    private let disk: DiskWorker
    /// Nil if nothing is kept.
    private let file: FileName?

    init(of view: (any View)?, in folder: FileName?, disk: DiskWorker) {
        (self.view, self.disk) = (view, disk)
        file = folder.map { $0 + "/view" }
    }

    /// Chooses what was chosen last, unless the user has chosen since.
    func restore() {
        guard let view, let file else { return }
        let read = { @Sendable () -> ScreenView? in
            guard let bytes = try? WholeFile.bytes(of: file, atMost: 100) else { return nil }
            let word = bytes.prefix { $0 != UInt8(ascii: "\n") }
            return ScreenView(rawValue: String(decoding: word, as: UTF8.self))
        }
        disk.run(on: .view, isAwaited: false, read) { result in
            if view.chosenView == nil { view.chosenView = try? result.get() }
        }
    }

    /// Keeps what is chosen now. Where that cannot be kept, the next run begins as this one did.
    func save() {
        guard let chosen = view?.chosenView, let file else { return }
        let write = { @Sendable in
            guard UserFolder.make(file.folder) == 0 else { return }
            let draft = file + FileName(".\(getpid())")
            _ = WholeFile.replace(file, with: "\(chosen.rawValue)\n", draft: draft)
        }
        disk.run(on: .view, write) { _ in }
    }
}
