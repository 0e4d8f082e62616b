import Foundation

/// A library of SystemTests/Preload: it makes a process do something rare, mostly when a file appears, or
/// tells what the process does.
public struct Preload {
    /// The environment to start duet with.
    public let environment: [String: String?]
    private let hold: String
    private let folder: TemporaryFolder

    /// Builds `name`.c in `folder`.
    public init(_ name: String, in folder: TemporaryFolder) throws {
        self.folder = folder
        let source = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("../../Preload/\(name).c").path
        let library = folder.url.appendingPathComponent("\(name).so").path
        try Tool.run(["clang", "-shared", "-fPIC", "-O1", source, "-o", library])
        hold = folder.url.appendingPathComponent("hold").path
        environment = ["LD_PRELOAD": library, "HOLD": hold]
    }

    /// Makes the library begin.
    public func begin() throws { try folder.write("hold", "") }

    /// Whether the library holds a call.
    public var holds: Bool { access(hold + ".held", F_OK) == 0 }

    /// Lets the held call go on.
    public func release() { unlink(hold + ".held") }
}
