import Foundation
import TestSupport

/// A library of Tests/Preload: it makes a process do something rare, mostly when a file appears, or
/// tells what the process does.
struct Preload {
    /// The environment to start duet with.
    let environment: [String: String?]
    private let hold: String
    private let folder: TemporaryFolder

    /// Builds `name`.c in `folder`.
    init(_ name: String, in folder: TemporaryFolder) throws {
        self.folder = folder
        let source = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().appendingPathComponent("Preload/\(name).c").path
        let library = folder.url.appendingPathComponent("\(name).so").path
        try Tool.run(["clang", "-shared", "-fPIC", "-O1", source, "-o", library])
        hold = folder.url.appendingPathComponent("hold").path
        environment = ["LD_PRELOAD": library, "HOLD": hold]
    }

    /// Makes the library begin.
    func begin() throws { try folder.write("hold", "") }

    /// Whether the library holds a call.
    var holds: Bool { access(hold + ".held", F_OK) == 0 }

    /// Lets the held call go on.
    func release() { unlink(hold + ".held") }
}
