import Foundation
import TestSupport
import Testing

@testable import DuetApp

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

    private func run(_ arguments: [String], _ environment: [String: String?]) throws -> DuetProgram
    {
        let duet = try DuetProgram.run(arguments, environment: environment)
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
            keys.child.output.contains("# duet config --keys > keys.new && mv keys.new \(file)\n"))
        #expect(printed.child.errors.isEmpty && keys.child.errors.isEmpty)
        let place = folder.url.appendingPathComponent("duet").path
        #expect(try FileManager.default.contentsOfDirectory(atPath: place).isEmpty)
        try folder.write("duet/duet.conf", printed.child.output)
        try folder.write("duet/keys.conf", keys.child.output)
        let after = try run(["graph"], environment)
        #expect(after.child.output == before.child.output && after.child.errors.isEmpty)
        #expect(try run(["config"], environment).child.output == printed.child.output)
        #expect(try run(["config", "--keys"], environment).child.output == keys.child.output)
        try folder.write("duet/keys.conf", "x none\n")
        #expect(try run(["config", "--keys"], environment).child.output.contains("\nx none\n"))
    }

    @Test func theFileIsWhereItIsLookedFor() throws {
        try folder.write("duet/duet.conf", "no-limiter\n/mic/highpass=on\nnonsense\n")
        try folder.write(".config/duet/duet.conf", "/mic/gate=on\n")
        let named = try run(["graph"], environment)
        #expect(
            named.child.output.contains("high-pass (") && !named.child.output.contains("gate ("))
        #expect(named.complaint.count == 1 && named.child.errors.contains("line 3 is ignored"))
        #expect(
            try !run(["graph", "--no-config"], environment).child.output.contains("high-pass ("))
        let home: [String: String?] = ["HOME": folder.url.path]
        for variable in [nil, "", "relative"] as [String?] {
            let found = try run(["graph"], home.merging(["XDG_CONFIG_HOME": variable]) { $1 })
            #expect(found.child.output.contains("gate (") && found.child.errors.isEmpty)
        }
        let none = try run(["graph"], ["HOME": nil, "XDG_CONFIG_HOME": nil])
        #expect(!none.child.output.contains("gate (") && none.child.errors.isEmpty)
        let profile = try DuetProgram.run(
            ["graph", "--profile", "x"], environment: ["HOME": nil, "XDG_CONFIG_HOME": nil])
        #expect(try profile.child.waitForExit() == .code(64))
    }

    /// Events are told as with the option on the command line, also of an error at the beginning.
    @Test func eventsAreToldWhereTheFileAsksForThem() throws {
        try folder.write("duet/duet.conf", "json\n")
        let duet = try DuetProgram.run(["play", "/nowhere.mp3"], environment: environment)
        #expect(try duet.child.waitForExit() == .code(66))
        #expect(try duet.first(Events.Failure.self)?.code == 66)
    }

    /// A file that the user may not read is a warning.
    @Test(.enabled(if: getuid() == 0)) func aFileWithoutRights() throws {
        try folder.write("duet/duet.conf", "/mic/gate=on\n")
        chmod(folder.url.appendingPathComponent("duet/duet.conf").path, 0)
        let program = folder.url.appendingPathComponent("program")
        try FileManager.default.copyItem(at: URL(fileURLWithPath: DuetProgram.path), to: program)
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
