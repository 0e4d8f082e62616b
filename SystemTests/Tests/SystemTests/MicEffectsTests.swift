import Rig
import Testing

/// The microphone's effects in the built program: heard without added delay, and changed by keys.
@Suite(.serialized, .disabled(if: JackServer.isPipeWire)) struct MicEffectsTests {
    private let stage: Stage

    init() throws { stage = try Stage(period: 1024) }

    private func start(_ options: [String]) throws -> Duet {
        try stage.start(
            [
                "sing", "--stay", "--mic", "none", "--song-volume", "0", "--mic-pan", "left",
                stage.folder.song(seconds: 1).path,
            ] + options, isHeard: false, takesCommands: true)
    }

    /// Every effect is in the voice's way, set so that the tones of jack_iodelay pass as they are.
    @Test(arguments: [("mic", "mic"), ("mic2", "mic_2")])
    func allEffectsAddNoFrame(strip: String, port: String) throws {
        let values = [
            "highpass=on", "highpass/frequency=20", "gate=on", "gate/threshold=-80",
            "compressor=on", "compressor/ratio=1", "de-esser=on", "de-esser/depth=0", "eq=on",
            "echo=on", "echo/mix=0", "reverb=on", "reverb/wet=0",
        ]
        let second = strip == "mic2" ? ["--second-mic", "none", "--set", "/mic2/pan=left"] : []
        let duet = try start(second + values.flatMap { ["--set", "/\(strip)/\($0)"] })
        try duet.wait(for: Events.Ready.self)
        let wire = try Witness(["--name", "wire", "--pass", "1", "--wait"], server: stage.server)
        let ofWire = try IODelay.measure("wire:in_1", "wire:out_1", stage.server)
        let ofVoice = try IODelay.measure(
            "\(stage.client):\(port)", "\(stage.client):out_left", stage.server)
        print("jack_iodelay: \(ofVoice) frames, a wire \(ofWire)")
        // A high-pass turns what is far above it by 0.01 rad.
        #expect(abs(ofVoice - ofWire) < 0.1)
        try wire.begin()
        _ = try wire.finish()
        try duet.quit()
    }

    @Test func keysGoThroughThePresets() throws {
        let duet = try start(["--mic-preset", "Natural"])
        try duet.wait(for: Events.Playing.self)
        duet.child.type("x")
        try duet.waitFor { $0.value(of: "/mic/preset")?.text == "room" }
        // What changes with it is told, too, and nothing else.
        try duet.waitFor { $0.value(of: "/mic/reverb/decay")?.value == 0.7 }
        #expect(try duet.told.value(of: "/mic/highpass") == nil)
        duet.child.type("XX")
        try duet.waitFor { $0.value(of: "/mic/reverb")?.value == 0 }
        #expect(try duet.told.value(of: "/mic/preset")?.text == "dry")
        duet.child.type("X")
        try duet.waitFor { $0.value(of: "/mic/preset")?.text == "telephone" }
        try duet.quit()
    }

    /// A preset of which something was changed by hand is told as `own`; the next key goes on from
    /// the preset that it was, and without the change.
    @Test func aPresetThatWasChangedIsTold() throws {
        let duet = try start(["--mic-preset", "plate"])
        try duet.wait(for: Events.Playing.self)
        let client = try stage.commands()
        #expect(try client.ask("get /mic/preset") == "ok /mic/preset plate")
        #expect(try client.ask("set /mic/reverb/wet 40") == "ok /mic/reverb/wet 40")
        #expect(try client.ask("get /mic/preset") == "ok /mic/preset own")
        try duet.waitFor { $0.value(of: "/mic/preset")?.text == "own" }
        #expect(try client.ask("set /mic/reverb/wet 28") == "ok /mic/reverb/wet 28")
        try duet.waitFor { $0.value(of: "/mic/preset")?.text == "plate" }
        #expect(try client.ask("set /mic/reverb/wet 41") == "ok /mic/reverb/wet 41")
        duet.child.type("x")
        try duet.waitFor { $0.value(of: "/mic/preset")?.text == "hall" }
        try duet.quit()
    }
}
