import Foundation

/// Runs programs that the tests need, to make files or to compare results.
public enum Tool {
    /// A program failed; the description has its exit code and standard error.
    public struct Failure: Error, CustomStringConvertible {
        public let description: String

        public init(description: String) { self.description = description }
    }

    /// Runs `arguments` (the first is looked up in PATH) in `folder` to its end.
    ///
    /// - Returns: what it wrote to standard output.
    @discardableResult
    public static func run(_ arguments: [String], in folder: URL? = nil) throws -> Data {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = arguments
        process.currentDirectoryURL = folder
        process.standardInput = FileHandle.nullDevice
        let output = Pipe()
        process.standardOutput = output
        let errors = FileManager.default.temporaryDirectory
            .appendingPathComponent("tool-\(UUID().uuidString)")
        try Data().write(to: errors)
        defer { try? FileManager.default.removeItem(at: errors) }
        process.standardError = try FileHandle(forWritingTo: errors)
        try process.run()
        let data = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            let text = String(decoding: try Data(contentsOf: errors), as: UTF8.self)
            throw Failure(
                description: "\(arguments.joined(separator: " ")): "
                    + "\(process.terminationStatus) \(text)")
        }
        return data
    }
}
