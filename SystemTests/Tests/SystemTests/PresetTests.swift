import Foundation
import Rig
import Testing

/// Presets of the microphone and of equalizers, and those that users save.
@Suite(.serialized) struct PresetTests {
    private static let microphone = [
        "dry", "natural", "room", "plate", "hall", "stage", "echo", "radio", "telephone",
    ]

    @Test func theCommandsKnowThePresets() throws {
        let text = try Duet.run(["presets"]).output
        for preset in Self.microphone + ["flat", "rock", "r&b"] {
            #expect(text.contains("  \(preset) "))
        }
        let json = try Duet.run(["presets", "--json"]).output
        let object = try #require(
            JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: [[String: Any]]])
        #expect(object["microphone"]?.compactMap { $0["name"] as? String } == Self.microphone)
        #expect(object["equalizer"]?.count == 22)
        #expect((object["equalizer"]?[0]["gains"] as? [Double])?.first == 5)
    }

    @Test(arguments: [
        (["--mic-preset", "plat", "song.mp3"], "did you mean plate?"),
        (["--eq", "rok", "song.mp3"], "did you mean rock?"),
    ])
    func theCommandLineNamesTheNearest(arguments: [String], hint: String) throws {
        let duet = try Duet.run(arguments)
        #expect(duet.exit == .code(64))
        #expect(duet.complaint.joined().contains(hint))
    }

    /// Who asks for a preset or a band by an option wants to hear it.
    @Test(arguments: [
        ([], false), (["--eq", "off"], false), (["--eq", "r&b"], true),
        (["--set", "/song/eq/band/1=6"], true),
        (["--set", "/song/eq/band/1=6", "--set", "/song/eq=off"], false),
    ])
    func whatIsSetIsTurnedOn(options: [String], isOn: Bool) throws {
        #expect(try Duet.run(["graph"] + options).output.contains("equalizer") == isOn)
    }

    @Test func theGraphHasWhatWasAskedFor() throws {
        let preset = try Duet.run(["graph", "--mic-preset", "Plate"]).output
        #expect(preset.contains("bus 1 <- reverb bus 0, 48000 Hz stereo"))
        let before = try Duet.run(["graph", "--key", "2", "--remove-vocals"]).output
        let list = "before the graph:\n  /song/key +2\n  /song/vocals/remove 100 %\n"
        #expect(before.hasSuffix(list))
    }

    /// `--eq rock` gives, to the bit, what its bands and its gain give.
    @Test func renderTakesAPreset() throws {
        let folder = try TemporaryFolder()
        let song = try folder.song(seconds: 2).path
        func render(_ options: [String]) throws -> Data {
            let out = folder.url.appendingPathComponent("out.wav").path
            let run = try Duet.run(
                ["render", song, "-o", out, "--bits", "float", "--no-limiter"] + options)
            try #require(run.exit == .code(0), "\(run.errors)")
            return try Data(contentsOf: URL(fileURLWithPath: out))
        }
        let rock = try render(["--eq", "Rock"])
        let bands = [5, 4, 3, 1.5, -0.5, -1, 0.5, 2.5, 3.5, 4.5].enumerated().map {
            "/song/eq/band/\($0 + 1)=\($1)"
        }
        let byHand = (bands + ["/song/eq/gain=-2.49"]).flatMap { ["--set", $0] }
        #expect(try render(byHand) == rock)
        #expect(try render([]) != rock)
    }

    /// What was saved can be chosen at once, and by all microphones and equalizers; saved again, it has its
    /// new values where it is chosen next.
    @Test func whatIsSavedCanBeChosenAtOnce() throws {
        let stage = try Stage()
        let state: [String: String?] = ["XDG_STATE_HOME": stage.folder.url.path]
        let (duet, asker) = try stage.startCommanded(
            ["sing", stage.song(), "--mic", "none", "--second-mic", "none", "--no-memory"],
            environment: state, streams: .terminal)
        for (line, answer) in [
            ("set /mic/reverb/wet 41", "ok /mic/reverb/wet 41"),
            ("save /mic/preset mine", "ok /mic/preset mine"),
            ("set /mic2/preset MINE", "ok /mic2/preset mine"),
            ("get /mic2/reverb/wet", "ok /mic2/reverb/wet 41"),
            ("set /mic/reverb/wet 42", "ok /mic/reverb/wet 42"),
            ("get /mic/preset", "ok /mic/preset own"),
            ("save /mic/preset Mine", "ok /mic/preset mine"),
            ("get /mic/preset", "ok /mic/preset mine"),
            // A value that was set stays, whatever its preset is now.
            ("get /mic2/reverb/wet", "ok /mic2/reverb/wet 41"),
            ("get /mic2/preset", "ok /mic2/preset own"),
            ("set /mic/preset dry", "ok /mic/preset dry"),
            ("adjust /mic/preset -1", "ok /mic/preset mine"),
            ("get /mic/reverb/wet", "ok /mic/reverb/wet 42"),
        ] { #expect(try asker.ask(line) == answer) }
        try duet.quit()
    }

    /// What was saved in one run is chosen in the next: by option, address and key.
    @Test func whatIsSavedCanBeChosen() throws {
        let stage = try Stage()
        let state: [String: String?] = ["XDG_STATE_HOME": stage.folder.url.path]
        func start(_ words: String...) throws -> (duet: Duet, client: LineClient) {
            try stage.startCommanded(
                ["sing", stage.song(), "--mic", "none", "--no-memory"] + words, environment: state,
                streams: .terminal)
        }
        let first = try start("--mic-preset", "plate", "--eq", "rock")
        for (line, answer) in [
            ("set /mic/reverb/wet 41", "ok /mic/reverb/wet 41"),
            ("set /mic/eq/band/1 -4", "ok /mic/eq/band/1 -4"),
            ("get /mic/preset", "ok /mic/preset own"),
            ("save /mic/preset my plate", "ok /mic/preset my plate"),
            ("get /mic/preset", "ok /mic/preset my plate"),
            ("set /song/eq/band/10 -7", "ok /song/eq/band/10 -7"),
            ("save /song/eq/preset my rock", "ok /song/eq/preset my rock"),
            ("save /mic/preset plate", "error duet has a preset 'plate' already; use another name"),
            (
                "save /mic/volume x",
                "error only presets can be saved, like /mic/preset or /song/eq/preset"
            ),
        ] { #expect(try first.client.ask(line) == answer) }
        let told = try [
            "/mic/highpass/frequency", "/mic/reverb/decay", "/song/eq/band/1", "/song/eq/gain",
        ]
        .map { try first.client.ask("get \($0)") }
        try first.duet.quit()

        let listed = try Duet.run(["presets"], environment: state)
        #expect(listed.child.output.contains("  my plate        your own\n"))
        #expect(listed.child.output.contains("     -7  your own\n") && listed.child.errors.isEmpty)

        let second = try start("--mic-preset", "My-Plate", "--eq", "myrock")
        func expectOwn(_ asker: LineClient) throws {
            for (address, value) in [
                ("/mic/preset", "my plate"), ("/mic/reverb/wet", "41"), ("/mic/eq/band/1", "-4"),
                ("/mic/de-esser", "on"), ("/song/eq/preset", "my rock"), ("/song/eq/band/10", "-7"),
            ] { #expect(try asker.ask("get \(address)") == "ok \(address) \(value)") }
            let again = try [
                "/mic/highpass/frequency", "/mic/reverb/decay", "/song/eq/band/1", "/song/eq/gain",
            ].map { try asker.ask("get \($0)") }
            #expect(again == told)
        }
        try expectOwn(second.client)
        // Behind the last preset comes the first.
        try second.duet.wait(for: Events.Parameter.self, after: { second.duet.child.type("x") })
        #expect(try second.client.ask("get /mic/preset") == "ok /mic/preset dry")
        try second.duet.quit()

        let third = try start()
        try third.duet.wait(for: Events.Parameter.self, after: { third.duet.child.type("X") })
        #expect(try third.client.ask("set /song/eq/preset my rock") == "ok /song/eq/preset my rock")
        try expectOwn(third.client)
        try third.duet.quit()
    }

    /// A home that does not answer holds nobody up: that is told later, and what was saved meanwhile is saved
    /// when it answers.
    @Test func aHomeThatHangs() throws {
        let stage = try Stage()
        let preload = try Preload("hold-disk", in: stage.folder)
        let home = stage.path("disk")
        let state: [String: String?] = ["XDG_STATE_HOME": home]
        let (duet, asker) = try stage.startCommanded(
            ["sing", stage.song(), "--mic", "none", "--no-memory", "--no-config"],
            environment: preload.environment.merging(state) { $1 }, streams: .terminal)
        try preload.begin()
        for name in ["one", "two"] {
            #expect(try asker.ask("save /mic/preset \(name)") == "ok /mic/preset \(name)")
            #expect(poll { preload.holds })
        }
        for name in ["one", "two"] {
            try duet.waitFor { events in
                events.all(Events.Warning.self).contains {
                    $0.message
                        == "cannot save the preset '\(name)': \(home)/duet/presets is not responding"
                }
            }
        }
        preload.release()
        try duet.quit()
        let listed = try Duet.run(["presets"], environment: state)
        #expect(listed.output.matches(of: /(one|two) +your own\n/).count == 2)
        #expect(listed.errors == "")
    }
}
