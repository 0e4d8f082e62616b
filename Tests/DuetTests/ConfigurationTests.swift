import AudioMedia
import Foundation
import TestSupport
import Testing

@testable import DuetApp

/// The user's file `duet.conf`, as commands read it.
@Suite struct ConfigurationTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// `duet sing ARGUMENTS` with `text` in the file.
    private func sing(_ text: String, _ arguments: String...) throws -> OptionValues {
        try configured(text, ["sing", "song.mp3"] + arguments)
    }

    /// A command line, with `text` in the file; nil: what is there stays.
    private func configured(_ text: String?, _ words: [String]) throws -> OptionValues {
        if let text { try folder.write("duet.conf", text) }
        guard case .run(let options) = try CommandParser.read(words) else {
            throw DuetError(status: .failure, attempt: "no command: \(words)", result: "", hint: "")
        }
        return try options.configured(in: FileName(folder.url.path))
    }

    private func mix(_ options: OptionValues) throws -> MixPlan {
        try options.mix(
            second: options.command == .sing ? options.microphones : .nothing)
    }

    private func value(_ address: String, _ sing: OptionValues) throws -> String {
        let mix = try mix(sing)
        let parameter = try #require(mix.vocabulary.parameter(address))
        return parameter.kind.spelling(mix[parameter])
    }

    @Test func aLineIsAnOptionOrAnAddress() throws {
        let sing = try sing(
            """
            \u{FEFF}# my duet

              ceiling = -1   # not so loud\r
            /mic/pan=left
            \t/out/volume=-6dB
            loop
            duck
            no-limiter
            set=/song/mute=on
            mic=system:capture_2
            server-wait=2.5#6
            server-wait=2.5
            """)
        #expect(try value("/out/limiter/ceiling", sing) == "-1")
        #expect(try value("/out/limiter/bypass", sing) == "on")
        #expect(try value("/mic/pan", sing) == "-1")
        #expect(try value("/song/duck", sing) == "-9")
        #expect(try value("/song/mute", sing) == "on")
        #expect(sing[.loop] && sing[all: .mic] == ["system:capture_2"])
        #expect(sing[.serverWait] == 2.5)
        let warnings = sing.configured.warnings
        #expect(warnings.count == 1 && warnings[0].contains("duet.conf, line 11 is ignored: "))
        #expect(sing.words == ["song.mp3"])
    }

    @Test func theCommandLineWins() throws {
        let text = """
            song-volume=0.5
            /song/volume=0.25
            /mic/preset=plate
            /mic/reverb/wet=40
            mic=one
            mic=two
            out=none
            name=other
            """
        let plain = try sing(text)
        #expect(try value("/song/volume", plain) == "0.25")
        #expect(try value("/mic/reverb/wet", plain) == "40")
        #expect(plain[all: .mic] == ["one", "two"])
        let typed = try sing(
            text, "--song-volume", "2", "--mic-preset", "hall", "--mic", "three", "-n", "mine")
        #expect(try value("/song/volume", typed) == "2")
        #expect(try value("/mic/reverb/wet", typed) == "30")
        #expect(typed[all: .mic] == ["three"] && typed[all: .out] == ["none"])
        #expect(typed[.name] == "mine" && typed.configured.warnings.isEmpty)
        #expect(try value("/song/volume", sing(text, "--no-config")) == "1")
        let other = try sing("/song/volume=0.25", "--set", "/song/volume=3")
        #expect(try value("/song/volume", other) == "3")
    }

    /// A value may end as an address does.
    @Test func aValueMayEndInAnEqualsSign() throws {
        let sing = try sing("lyrics=http://h/a.lrc?t=abc=\nname=a=\nmic==")
        #expect(sing[.lyrics] == "http://h/a.lrc?t=abc=" && sing[.name] == "a=")
        #expect(sing[all: .mic] == ["="] && sing.configured.warnings.isEmpty)
        #expect(try self.sing("lyrics=").configured.warnings.count == 1)
    }

    /// What the command line has, too, is not the file's.
    @Test func onlyWhatTheFileAloneHasIsItsOwn() throws {
        let rows: [OptionRow] = [.loop, .between, .record, .mic, .name]
        func names(_ arguments: [String]) throws -> [String] {
            let options = try configured(
                "loop\nbetween=pause\nrecord=/takes\nmic=one\nname=other",
                ["sing", "song.mp3"] + arguments)
            #expect(rows.allSatisfy(options.has))
            return rows.filter { !options.isTyped($0) }.map(\.name)
        }
        #expect(try names([]) == ["loop", "between", "record", "mic", "name"])
        #expect(try names(["--loop", "--record=/x", "--name", "y"]) == ["between", "mic"])
        #expect(try names(["--", "--loop"]).contains("loop"))
    }

    @Test func theFolderOfTakesIsKnownToAll() throws {
        #expect(try sing("record=/takes").configured.takesFolder?.text == "/takes")
        #expect(
            try sing("record=/takes", "--record=/x").configured.takesFolder?.text == "/takes")
        for text in ["record", "record=default", "record=http://h/x", ""] {
            #expect(try sing(text).configured.takesFolder == nil, "\(text)")
        }
        let takes = try configured(
            "record=/takes\n[stage]\nrecord=/stage", ["takes", "--profile", "stage"])
        #expect(takes.configured.takesFolder?.text == "/stage")
    }

    @Test func theEncodingOfOldTextIsOneThatIconvKnows() throws {
        #expect(try sing("text-encoding=CP1251")[.textEncoding] == "CP1251")
        #expect(try sing("", "--text-encoding=KOI8-R")[.textEncoding] == "KOI8-R")
        let wrong = try sing("text-encoding=klingon")
        #expect(wrong[.textEncoding] == nil && wrong.configured.warnings.count == 1)
        #expect(throws: (any Error).self) { try sing("", "--text-encoding=UTF-16") }
    }

    @Test func sectionsAreProfiles() throws {
        let text = """
            /song/volume=0.5
            mic=one
            [home]
            /song/volume=2
            mic=two
            [stage one]
            /song/pan=left
            nonsense
            [home]
            /mic/volume=3
            """
        #expect(try value("/song/volume", sing(text)) == "0.5")
        let home = try sing(text, "--profile", "home")
        #expect(try value("/song/volume", home) == "2" && value("/mic/volume", home) == "3")
        #expect(home[all: .mic] == ["two"] && home.configured.warnings.isEmpty)
        let stage = try sing(text, "--profile", "stage one")
        #expect(try value("/song/volume", stage) == "0.5" && value("/song/pan", stage) == "-1")
        #expect(stage.configured.warnings.count == 1)
        let error = #expect(throws: DuetError.self) { try sing(text, "--profile", "hom") }
        #expect(error?.status == .usage && error?.line.contains("did you mean home?") == true)
        #expect(throws: DuetError.self) { try sing("", "--profile", "x") }
        #expect(try sing("[home\n/song/volume=2").configured.warnings.count == 1)
    }

    /// Lines that are ignored, and a part of the reason.
    @Test(arguments: [
        ("volum=1", "no option 'volum'; did you mean volume"),
        ("--loop", "no option '--loop'"), ("=", "no option ''"),
        ("loop=yes", "loop takes no value"), ("ceiling", "ceiling needs a value: ceiling=<dB>"),
        ("name=", "name needs a value"), ("ceiling=1", "-60…0"), ("eq=rok", "did you mean rock?"),
        ("mic=(", "Unmatched"), ("name=a:b", "colon"),
        ("transport=up", "--transport: use none, follow or lead, not 'up'"),
        ("/song/volum=1", "did you mean /song/volume"), ("/song/volume", "ADDRESS=VALUE"),
        ("/song/volume=5", "0…4"), ("/transport/next=1", "at the start"),
        ("set=/song/volume", "ADDRESS=VALUE"), ("profile=x", "command line"),
        ("help", "command line"), ("no-config", "command line"), ("output=a.wav", "command line"),
        ("loop\u{1B}[2J", "control character"), ("[x", "a section starts with [NAME]"),
        ("levels", "--json"),
    ])
    func aWrongLineIsIgnored(line: String, reason: String) throws {
        let sing = try sing("/song/pan=left\n\n\(line)\n[never]\n")
        #expect(try value("/song/pan", sing) == "-1")
        let warnings = sing.configured.warnings
        let start = "\(folder.url.path)/duet.conf, line 3 is ignored: "
        #expect(warnings.count == 1 && warnings[0].hasPrefix(start), "\(warnings)")
        #expect(warnings.first?.contains(reason) == true, "\(warnings)")
    }

    @Test func whatAnotherCommandHasIsPassedOver() throws {
        let other = try sing("period=256\n/second/pan=left\nrate=48000\nsecond-volume=2\nbits=16")
        #expect(other.configured.warnings.isEmpty)
        #expect(try mix(other).hasValues(of: MixPlan()))
        let text = "mic-volume=2\nsecond-mic=x\nstereo-mic\nkey=1\nloop"
        #expect(try configured(text, ["play", "a"]).configured.warnings.isEmpty)
        let render = try configured(text, ["render", "a", "-o", "a.wav"])
        #expect(render.configured.warnings.isEmpty && !render[.stereoMic])
    }

    /// One of two options that need each other is in the file, the other on the command line; or both
    /// are in the file, in any order, beside a line that is wrong.
    @Test func optionsOfFileAndCommandLineGoTogether() throws {
        let render = try configured(
            "duration=10", ["render", "a", "-o", "a.wav", "--loop"])
        #expect(render[.loop] && render[.duration]?.seconds == 10)
        for text in ["loop\nduration=10", "duration=10\nloop\nbits=99"] {
            let both = try configured(text, ["render", "a", "-o", "a.wav"])
            #expect(both[.loop] && both[.duration]?.seconds == 10)
            #expect(both.configured.warnings.count == (text.contains("bits") ? 1 : 0))
        }
        let sing = try configured("json", ["a", "--levels"])
        #expect(sing[.levels] && sing[.json])
        #expect(sing.configured.warnings.isEmpty)
        let both = try configured("levels\nname=a:b\njson", ["a"])
        #expect(both[.levels] && both[.json])
        #expect(both.configured.warnings.count == 1)
        for text in ["", "stay", "name=a:b"] {
            #expect(throws: (any Error).self) { try configured(text, ["a", "--levels"]) }
        }
        #expect(throws: (any Error).self) {
            try configured("duration=0", ["render", "a", "-o", "a.wav", "--loop"])
        }
        // Each line that is wrong is told once.
        let twice = try configured("levels\nlevels\nname=a:b", ["a"])
        #expect(twice.configured.warnings.count == 3 && !twice[.levels])
    }

    /// The doctor has of the file what a song has; what makes a noise is asked for by hand.
    @Test func theDoctorReadsIt() throws {
        let text = "server=studio\nno-start-server\nmic=one\nout=two\nperiod=64\nverbose\nstay"
        let doctor = try configured(text, ["doctor"])
        #expect(doctor[.doctorServer] == "studio" && doctor[.doctorStart] && doctor[.verbose])
        #expect(doctor[all: .doctorMic] == ["one"])
        #expect(!doctor.has(.doctorOut) && !doctor[.tryPeriods])
        #expect(doctor.configured.warnings.isEmpty)
        let measured = try configured(text, ["doctor", "--measure", "-s", "mine"])
        #expect(measured[all: .doctorMic] == ["one"] && measured[all: .doctorOut] == ["two"])
        #expect(measured[.doctorServer] == "mine")
        #expect(try !configured(text, ["doctor", "--no-config"]).has(.doctorServer))
    }

    /// What does not go together with the command line is left out, and said.
    @Test func whatDoesNotGoTogetherIsLeftOut() throws {
        let sing = try sing("loop\nsecond-mic=x\nstay", "--stereo-mic")
        #expect(sing[.loop] && sing[.stay] && !sing.has(.secondMic))
        let warnings = sing.configured.warnings
        #expect(warnings.count == 1 && warnings[0].contains("line 2 is ignored: --second-mic"))
        #expect(try self.sing("stay", "--no-stay").rules.stays == false)
        #expect(try self.sing("no-stay").rules.stays == false && self.sing("").rules.stays == nil)
    }

    /// Of what does not go together only what is part of it gives way.
    @Test func onlyTheObstacleGivesWay() throws {
        let list = try configured("transport=follow\nloop\nstart-at=9", ["a.mp3", "b.mp3"])
        #expect(list[.loop] && list.has(.startAt) && !list.has(.transport))
        #expect(list.configured.warnings.count == 1)
        let loop = try configured("transport=lead\nloop\nstart-at=9", ["a.mp3"])
        #expect(!loop[.loop] && loop.has(.startAt) && loop.has(.transport))
    }

    /// What was warned of before is told beside what is wrong with the file.
    @Test func earlierWarningsAreKept() throws {
        try folder.write("duet.conf", "nosuch")
        for words in [["a.mp3"], ["graph"]] {
            guard case .run(var options) = try CommandParser.read(words) else { continue }
            options.configured.warnings = ["a preset is left out"]
            let warnings = try options.configured(in: FileName(folder.url.path)).configured.warnings
            #expect(warnings.count == 2 && warnings.contains("a preset is left out"))
        }
    }

    private func read(_ lines: [String]) throws -> Configuration {
        let file = try folder.write("duet.conf", lines.joined(separator: "\n"))
        return try Configuration(SettingsFile(path: FileName(file.path)), profile: nil)
    }

    /// Each address of every command: both ends, and the beginning.
    @Test func everyAddressIsRead() throws {
        let wanted = (Address.ofSing + Address.ofMix).flatMap { address in
            [address.low, address.high, address.start].map { "\(address.name)=\($0)" }
        }
        let file = try read(wanted)
        let found = try file.assignments.map { assignment in
            let kind = try #require(Vocabulary.all.parameter(assignment.address)).kind
            return "\(assignment.address)=\(kind.spelling(assignment.value))"
        }
        #expect(found == wanted && file.wrong.warnings.isEmpty)
    }

    /// Beyond both ends, or nonsense, at every address.
    @Test func noAddressTakesWhatIsNoValueOfIt() throws {
        let addresses = Address.ofSing + Address.ofMix
        let nonsense = ["1e9", "-1e9", "nan", "loud", "/song/pan"]
        // So many are named one by one.
        for first in stride(from: 0, to: addresses.count, by: 10) {
            let lines = (first..<min(first + 10, addresses.count)).map { index in
                (address: addresses[index], text: nonsense[index % 5])
            }
            let file = try read(lines.map { "\($0.address.name)=\($0.text)" })
            #expect(file.assignments.isEmpty)
            #expect(
                file.wrong.warnings
                    == lines.enumerated().map { index, line in
                        "\(folder.url.path)/duet.conf, line \(index + 1) is ignored: "
                            + "use \(line.address.range), not '\(line.text)'"
                    })
        }
    }

    /// What is no file of lines is ignored as a whole, with one warning, and holds nobody up.
    @Test(arguments: ["folder", "pipe", "large", "circle", "long", "bytes", "zero", "wrong"])
    func aHostileFile(kind: String) throws {
        let path = folder.url.appendingPathComponent("duet.conf").path
        var reason = ""
        switch kind {
        case "folder":
            try FileManager.default.createDirectory(
                atPath: path, withIntermediateDirectories: false)
            reason = "not a regular file"
        case "pipe":
            #expect(mkfifo(path, 0o600) == 0)
            reason = "not a regular file"
        case "circle":
            #expect(symlink(path, path) == 0)
            reason = "duet.conf is not used: "
        case "large":
            try Data(repeating: 35, count: 10 << 20).write(to: URL(fileURLWithPath: path))
            reason = "larger than 256 KiB"
        case "long":
            try Data(repeating: 10, count: 200_000).write(to: URL(fileURLWithPath: path))
            reason = "more than 5000 lines"
        case "bytes":
            try Data([0xFF, 0xFE, 0x3D, 0x31, 10]).write(to: URL(fileURLWithPath: path))
            reason = "line 1 is ignored: not UTF-8 text"
        case "zero":
            try Data([0x6C, 0, 0x6C, 10]).write(to: URL(fileURLWithPath: path))
            reason = "line 1 is ignored: it has a control character"
        default:
            try Data(String(repeating: "x=1\n", count: 4000).utf8)
                .write(to: URL(fileURLWithPath: path))
            reason = "the end of \(path) is not used: 100 lines of it are wrong"
        }
        let sing = try configured(nil, ["a"])
        let warnings = sing.configured.warnings
        #expect(warnings.count == (kind == "wrong" ? 12 : 1))
        #expect(warnings.last?.contains(reason) == true, "\(warnings)")
        #expect(sing.configured.assignments.isEmpty && !OptionTable.rows.contains(where: sing.has))
    }

    /// The lines of the printed configuration, each made to count.
    @Test func thePrintedConfigurationIsUnderstood() throws {
        let text = ConfigurationText.text(path: nil)
        try folder.write("duet.conf", text)
        let asPrinted = try sing(text)
        #expect(asPrinted.configured.warnings.isEmpty)
        #expect(try mix(asPrinted).hasValues(of: MixPlan()))
        let lines = text.split(separator: "\n").filter {
            $0.hasPrefix("#") && !$0.hasPrefix("# ") && $0.contains("=") && !$0.contains("<")
        }
        let counting = try sing(lines.map { $0.dropFirst() + "\n" }.joined())
        #expect(counting.configured.warnings.isEmpty)
        for parameter in Vocabulary.all.parameters {
            let value = parameter.kind.spelling(parameter.kind.defaultValue)
            #expect(text.contains("\n#\(parameter.address)=\(value)  # "))
        }
        for option in OptionTable.configurable where option !== OptionRow.set {
            let line = "\n#\(option.name)" + (option.valueName == nil ? "\n" : "=")
            #expect(text.contains(line), "\(option.name)")
        }
    }
}
