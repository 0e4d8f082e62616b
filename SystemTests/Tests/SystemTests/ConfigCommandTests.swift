import Foundation
import Rig
import Testing

/// The command `config`, and where commands look for the configuration.
@Suite struct ConfigCommandTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        for name in ["duet", ".config/duet"] {
            try FileManager.default.createDirectory(
                at: folder.url.appendingPathComponent(name), withIntermediateDirectories: true)
        }
    }

    private func run(_ arguments: [String], _ environment: [String: String?]) throws -> Duet {
        let duet = try Duet.run(arguments, environment: environment)
        #expect(try duet.child.waitForExit() == .code(0))
        return duet
    }

    private var environment: [String: String?] { ["XDG_CONFIG_HOME": folder.url.path] }

    /// What is printed, put in place, changes nothing; nothing is written.
    @Test func whatIsPrintedChangesNothing() throws {
        let before = try run(["graph"], environment)
        let printed = try run(["config"], environment)
        let keys = try run(["config", "--keys"], environment)
        let file = folder.url.appendingPathComponent("duet/keys.conf").path
        #expect(
            keys.output.contains("# duet config --keys > keys.new && mv keys.new \(file)\n"))
        #expect(printed.errors.isEmpty && keys.errors.isEmpty)
        let place = folder.url.appendingPathComponent("duet").path
        #expect(try FileManager.default.contentsOfDirectory(atPath: place).isEmpty)
        try folder.write("duet/duet.conf", printed.output)
        try folder.write("duet/keys.conf", keys.output)
        let after = try run(["graph"], environment)
        #expect(after.output == before.output && after.errors.isEmpty)
        #expect(try run(["config"], environment).output == printed.output)
        #expect(try run(["config", "--keys"], environment).output == keys.output)
        try folder.write("duet/keys.conf", "x none\n")
        #expect(try run(["config", "--keys"], environment).output.contains("\nx none\n"))
    }

    @Test func theFileIsWhereItIsLookedFor() throws {
        try folder.write("duet/duet.conf", "no-limiter\n/mic/highpass=on\nnonsense\n")
        try folder.write(".config/duet/duet.conf", "/mic/gate=on\n")
        let named = try run(["graph"], environment)
        #expect(
            named.output.contains("high-pass (") && !named.output.contains("gate ("))
        #expect(named.complaint.count == 1 && named.errors.contains("line 3 is ignored"))
        #expect(
            try !run(["graph", "--no-config"], environment).output.contains("high-pass ("))
        let home: [String: String?] = ["HOME": folder.url.path]
        for variable in [nil, "", "relative"] as [String?] {
            let found = try run(["graph"], home.merging(["XDG_CONFIG_HOME": variable]) { $1 })
            #expect(found.output.contains("gate (") && found.errors.isEmpty)
        }
        let none = try run(["graph"], ["HOME": nil, "XDG_CONFIG_HOME": nil])
        #expect(!none.output.contains("gate (") && none.errors.isEmpty)
        let profile = try Duet.run(
            ["graph", "--profile", "x"], environment: ["HOME": nil, "XDG_CONFIG_HOME": nil])
        #expect(try profile.child.waitForExit() == .code(64))
    }

    /// Events are told as with the option on the command line, also of an error at the beginning.
    @Test func eventsAreToldWhereTheFileAsksForThem() throws {
        try folder.write("duet/duet.conf", "json\n")
        let duet = try Duet.run(["play", "/nowhere.mp3"], environment: environment)
        #expect(try duet.child.waitForExit() == .code(66))
        #expect(try duet.first(Events.Failure.self)?.code == 66)
    }

    /// A file that the user may not read is a warning.
    @Test(.enabled(if: getuid() == 0, "root becomes another user")) func aFileWithoutRights() throws
    {
        try folder.write("duet/duet.conf", "/mic/gate=on\n")
        chmod(folder.url.appendingPathComponent("duet/duet.conf").path, 0)
        let program = folder.url.appendingPathComponent("program")
        try FileManager.default.copyItem(at: URL(fileURLWithPath: Duet.path), to: program)
        chmod(folder.url.path, 0o755)
        let duet = try ChildProcess(
            "setpriv",
            ["--reuid=65534", "--regid=65534", "--clear-groups", program.path, "graph"],
            environment: environment)
        #expect(try duet.waitForExit() == .code(0))
        #expect(duet.errors.contains("duet.conf is not used: Permission denied"))
        #expect(!duet.output.contains("gate ("))
    }
}
