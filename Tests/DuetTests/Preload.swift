import Foundation
import TestSupport

/// A library of Tests/Preload, which makes libjack or its server behave as it rarely does; it does
/// so when a file appears.
struct Preload {
    /// What duet is started with.
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

    /// Lets it begin.
    func begin() throws { try folder.write("hold", "") }

    /// Whether something is held.
    var holds: Bool { access(hold + ".held", F_OK) == 0 }

    /// Lets what is held go on.
    func release() { unlink(hold + ".held") }
}
