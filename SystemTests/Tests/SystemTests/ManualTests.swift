import Foundation
import Rig
import Testing

/// The manual and the completions, made by tools/make-manual from this program.
@Suite struct ManualTests {
    private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appendingPathComponent("../../..").standardizedFileURL
    private static let prose = root.appendingPathComponent("docs/manual")

    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// Runs make-manual.
    private func make(
        into name: String = "made", prose: URL = prose, date: String? = nil
    ) throws -> ChildProcess {
        let run = try ChildProcess(
            Self.root.appendingPathComponent("tools/make-manual").path,
            [folder.url.appendingPathComponent(name).path, Duet.path, "--prose", prose.path],
            environment: ["SOURCE_DATE_EPOCH": date])
        _ = try run.waitForExit()
        return run
    }

    private func made(_ file: String, in name: String = "made") throws -> String {
        try String(
            contentsOf: folder.url.appendingPathComponent("\(name)/share/\(file)"), encoding: .utf8)
    }

    /// A page as people read it: without the commands for fonts.
    private func page(_ file: String) throws -> String {
        try made("man/\(file)").replacing("\\-", with: "-").replacing("\\(ti", with: "~")
            .replacing("\\(aq", with: "'").replacing(#/\\f[BIR]/#, with: "")
    }

    private func json(_ arguments: [String]) throws -> Any {
        try JSONSerialization.jsonObject(with: Data(Duet.run(arguments).output.utf8))
    }

    @Test func everyOptionOfEveryCommandIsThere() throws {
        let run = try make()
        #expect(try run.waitForExit() == .code(0), "\(run.errors)")
        let text = try page("man1/duet.1")
        let tree = try #require(try json(["help", "--json"]) as? [String: Any])
        let commands = tree["commands"] as? [[String: Any]] ?? []
        #expect(commands.count > 10)
        for command in commands {
            let name = command["name"] as? String ?? ""
            #expect(text.contains(".SS \(name)\n"), "\(name)")
            for option in command["options"] as? [[String: Any]] ?? [] {
                for word in option["names"] as? [String] ?? [] {
                    #expect(
                        text.contains(try Regex("(?m)^(-., )?\(word)(?![\\w-])")), "\(name) \(word)"
                    )
                }
            }
        }
    }

    @Test func everyKeyAndEveryAddressIsThere() throws {
        _ = try make()
        let text = try page("man1/duet.1")
        let printed = try Duet.run(["config", "--keys"]).output
        // The keys of all times, of the list, of the words, and of takes.
        let blocks = printed.components(separatedBy: "\n# These ")
        #expect(blocks.count == 4)
        for (block, heading, row, count) in [
            (blocks[0], ".SH KEYS\n", #/(?m)^([^ \n]+) [a-z]+ \/.*$/#, 40),
            (blocks[1], ".SH AN EVENING WITH FRIENDS\n", #/(?m)^# ([^ \n]+) [a-z]+ \/.*$/#, 12),
        ] {
            let section = text.components(separatedBy: heading).last ?? ""
            let table =
                section.components(separatedBy: ".EE\n")[0]
                .components(separatedBy: ".EX\n").last ?? ""
            // The keys of a row stand before two spaces, below the heading of their group.
            let keys = table.split(separator: "\n").filter { !$0.hasSuffix(":") }.flatMap {
                $0.components(separatedBy: "  ")[0].split(separator: " ")
            }
            let rows = block.matches(of: row)
            #expect(rows.count > count)
            #expect(keys.sorted() == rows.map(\.1).sorted())
        }
        let addresses = try json(["addresses", "--json"]) as? [[String: Any]] ?? []
        let all = addresses.compactMap { $0["address"] as? String }
        #expect(all.count > 200)
        for address in all {
            // Numbers are N, and a second source is as the first.
            let name = address.replacing(#/\/\d+/#, with: "/N")
            let first = name.replacing(#/^\/second\//#, with: "/song/")
                .replacing(#/^\/mic[234]\//#, with: "/mic/")
            let pattern = try Regex("(\(name)|\(first))[ ,.\n]")
            #expect(text.contains(pattern), "\(address)")
        }
    }

    /// The values of an address are what `duet addresses` prints.
    @Test func everyAddressHasItsValues() throws {
        _ = try make()
        let words = { (text: String) in
            text.split { $0 == " " || $0 == "\n" }.joined(separator: " ")
        }
        let text = words(try page("man1/duet.1"))
        for line in try Duet.run(["addresses"]).output.split(separator: "\n") {
            let row = line.split(separator: #/ {2,}/#, maxSplits: 2).map(String.init)
            // A list of many names has a name.
            guard row[1] != "–", row[0].contains(#/^\/(song|mic|out)\/[a-z\/-]+$/#),
                row[2].count(where: { $0 == "," }) < 7
            else { continue }
            #expect(text.contains("\(row[0]) \(row[2]) (\(row[1]))"), "\(line)")
        }
        #expect(text.contains("/song/eq/preset EQ or off (flat)"))
        #expect(text.contains("/song/duck -40…0 dB or off (0.0 dB)"))
    }

    /// The pages in docs/manual are those that this program makes.
    @Test func thePagesOnTheWebAreCurrent() throws {
        let run = try ChildProcess(
            Self.root.appendingPathComponent("tools/make-manual").path,
            ["--web", folder.url.path, Duet.path])
        #expect(try run.waitForExit() == .code(0), "\(run.errors)")
        for name in ["duet.md", "duet.conf.md"] {
            let made = try String(
                contentsOf: folder.url.appendingPathComponent(name), encoding: .utf8)
            let kept = try String(
                contentsOf: Self.prose.appendingPathComponent(name), encoding: .utf8)
            #expect(made == kept, "docs/manual/\(name) is old: tools/make-manual --web docs/manual")
            #expect(!made.contains("<!-- options -->") && made.contains("## "))
        }
    }

    @Test func whatACommandNeedsHasNoBrackets() throws {
        _ = try make()
        let usage = try page("man1/duet.1").split(separator: "\n")
            .first { $0.hasPrefix("duet render [") }
        #expect(usage?.contains(" -o FILE [") == true, "\(usage ?? "")")
        #expect(usage?.contains(" [--voice FILE] ") == true, "\(usage ?? "")")
    }

    @Test func everyOptionOfTheConfigurationIsThere() throws {
        _ = try make()
        let text = try page("man5/duet.conf.5")
        let names = try Duet.run(["config"]).output.matches(of: #/\n#([a-z][a-z-]*)[=\n]/#)
            .map { String($0.1) }
        #expect(names.count > 40)
        for name in names { #expect(text.contains(try Regex("\n\(name)[=\n]")), "\(name)") }
    }

    @Test func proseThatIsWrongIsRefused() throws {
        let mistakes = [
            ("`--nosuch`", "no option: --nosuch"),
            ("`duet play --mic-pan left song.mp3`", "no option: --mic-pan"),
            ("`duet nosuch`", "no command: duet nosuch"),
            ("```sh\nduet render \\\n    --nosuch song.mp3\n```", "no option: --nosuch"),
            ("`/mic/nosuch`", "no address: /mic/nosuch"),
            ("Press **nosuch**.", "no key: nosuch"),
            ("```conf\nnosuch=1\n```", "no option of duet.conf: nosuch"),
            ("<!-- nosuch -->", "no list: nosuch"),
        ]
        let prose = mistakes.map { $0.0 + "\n" }.joined(separator: "\n")
        try folder.write("duet.1.md", "# NAME\n\nduet - sing\n\n\(prose)")
        try folder.write("duet.conf.5.md", "# NAME\n\nduet.conf - configuration\n")
        let run = try make(prose: folder.url)
        #expect(try run.waitForExit() == .code(1))
        let complaints = run.errors.split(separator: "\n")
        #expect(complaints.count == mistakes.count, "\(run.errors)")
        for ((_, complaint), said) in zip(mistakes, complaints) {
            #expect(said.hasSuffix(": \(complaint)"))
        }
        #expect(!FileManager.default.fileExists(atPath: folder.url.path + "/made"))
    }

    @Test func equalInputsMakeEqualFiles() throws {
        _ = try make(into: "one", date: "1700000000")
        _ = try make(into: "two", date: "1700000000")
        for file in [
            "man/man1/duet.1", "man/man5/duet.conf.5", "bash-completion/completions/duet",
            "zsh/vendor-completions/_duet", "fish/vendor_completions.d/duet.fish",
        ] {
            #expect(try made(file, in: "one") == made(file, in: "two"))
        }
        let head = try made("man/man1/duet.1", in: "one").split(separator: "\n")
            .first { $0.hasPrefix(".TH ") }
        #expect(
            head?.contains(#/"2023-11-14" "duet \d+\.\d+\.\d+"/#) == true, "\(head ?? "")")
    }

    /// The values of the examples, too, are those that the program takes.
    @Test func theCommandsOfTheProseAreUnderstood() throws {
        var commands = 0
        for name in ["duet.1.md", "duet.conf.5.md"] {
            let text = try String(
                contentsOf: Self.prose.appendingPathComponent(name), encoding: .utf8)
            for block in text.matches(of: #/```sh\n([^`]*)```/#) {
                for line in block.1.replacing("\\\n", with: " ").split(separator: "\n")
                where line.hasPrefix("duet ") && !line.contains(#/[<>]/#) {
                    commands += 1
                    let takesServer = !line.contains(#/^duet (add|render|config|takes|separate)/#)
                    let server = takesServer ? " --no-start-server --server nosuch" : ""
                    let run = try Duet.run(
                        shell: line.dropFirst("duet ".count) + server, in: folder.url,
                        environment: [
                            "HOME": folder.url.path, "XDG_CONFIG_HOME": nil,
                            "https_proxy": "http://127.0.0.1:9", "PIPEWIRE_RUNTIME_DIR": "/nosuch",
                            "XDG_RUNTIME_DIR": nil,
                        ])
                    // There are no takes here, which is no error.
                    let codes: [Int32] = line == "duet takes" ? [0] : [66, 69]
                    #expect(codes.contains { run.exit == .code($0) }, "\(line): \(run.errors)")
                }
            }
        }
        #expect(commands > 15)
    }

    /// The shells that have completions: how each starts without anybody's configuration, and what
    /// it reads then.
    enum Shell: String, CaseIterable {
        case bash = "bash --norc --noprofile"
        case zsh = "zsh -f"
        case fish = "fish --no-config"

        func reading(_ share: String) -> String {
            switch self {
            case .bash: ". \(share)/bash-completion/completions/duet"
            case .zsh:
                "bindkey -e; fpath=(\(share)/zsh/vendor-completions $fpath); "
                    + "autoload -U compinit; compinit -D -u"
            case .fish:
                "set -g fish_autosuggestion_enabled 0; function fish_prompt; echo '> '; end; "
                    + "source \(share)/fish/vendor_completions.d/duet.fish"
            }
        }
    }

    /// Types beginnings of lines and a tab into a shell, and waits for the lines that it makes of them.
    private func complete(
        with shell: Shell, in environment: String,
        _ lines: KeyValuePairs<String, String>
    ) throws {
        let version = try ChildProcess("sh", ["-c", "command -v \(shell)"])
        try #require(try version.waitForExit() == .code(0), "\(shell) is not installed")
        _ = try make()
        let terminal = try Tmux("env PS1='> ' \(environment) \(shell.rawValue)")
        let reading = shell.reading(folder.url.path + "/made/share")
        try terminal.type("cd \(folder.url.path); \(reading); clear; echo ready\r")
        try terminal.wait { $0.contains("ready") }
        for (start, line) in lines {
            try terminal.type(start + "\t")
            try terminal.wait(for: "> \(line)")
            // The line is emptied, for the next one.
            try terminal.type("\u{15}")
        }
    }

    @Test(arguments: Shell.allCases) func completes(shell: Shell) throws {
        for name in ["sonata.mp3", "our song.mp3", "aria.FLAC", "aria.lrc", "aria.txt"] {
            try folder.write(name, "")
        }
        try FileManager.default.createDirectory(
            at: folder.url.appendingPathComponent("settings/duet"),
            withIntermediateDirectories: true)
        try folder.write("settings/duet/duet.conf", "loop\n[party]\nstay\n")
        let environment = "HOME=\(folder.url.path) XDG_CONFIG_HOME=\(folder.url.path)/settings"
        try complete(
            with: shell, in: environment,
            [
                "duet son": "duet sonata.mp3",
                "duet o": #"duet our\ song.mp3"#,
                #"duet our\ s"#: #"duet our\ song.mp3"#,
                "duet ar": "duet aria.FLAC",
                "duet render --voice ar": "duet render --voice aria.FLAC",
                "duet aria.t": "duet aria.txt",
                "duet --lyrics aria.l": "duet --lyrics aria.lrc",
                "duet ren": "duet render",
                "duet --mic-vol": "duet --mic-volume",
                "duet sonata.mp3 --tran": "duet sonata.mp3 --transport",
                "duet --transport fo": "duet --transport follow",
                "duet --transport=le": "duet --transport=lead",
                "duet --set /mic/preset=pl": "duet --set /mic/preset=plate",
                "duet --set /mic/pre": "duet --set /mic/preset=",
                "duet render -o son": "duet render -o sonata.mp3",
                // Only `render` has it.
                "duet -o son\tX": "duet -o sonX",
                "duet --profile pa": "duet --profile party",
                "duet help dem": "duet help demo",
                "duet graph mi": "duet graph mix",
                "duet --mic n": "duet --mic none",
                "duet --out=n": "duet --out=none",
            ])
    }
}
