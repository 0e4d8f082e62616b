import TestSupport
import Testing

/// The microphone's effects in the built program: heard without added delay, and changed by keys.
@Suite(.serialized, .disabled(if: JackServer.isPipeWire)) struct MicEffectsTests {
    private let server: JackServer
    private let folder: TemporaryFolder
    private let client = DuetProgram.clientName()

    init() throws {
        server = try JackServer(period: 1024)
        folder = try TemporaryFolder()
    }

    private func start(_ options: [String]) throws -> DuetProgram {
        try DuetProgram(
            [
                "sing", "--json", "--stay", "-s", server.name, "-n", client, "--mic", "none",
                "--out", "none", "--song-volume", "0", "--mic-pan", "left",
                try folder.song(seconds: 1).path,
            ] + options, streams: .terminal)
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
        let ready = try duet.waitForEvent("ready")
        let wire = try Witness(["--name", "wire", "--pass", "1", "--wait"], server: server)
        let ofWire = try IODelay.measure("wire:in_1", "wire:out_1", server)
        let ofVoice = try IODelay.measure("\(client):\(port)", "\(client):out_left", server)
        print("jack_iodelay: \(ofVoice) frames, a wire \(ofWire)")
        // A high-pass turns what is far above it by 0.01 rad.
        #expect(abs(ofVoice - ofWire) < 0.1)
        #expect(ready["micLatencyFrames"] as? Int != nil)
        try wire.begin()
        _ = try wire.finish()
        try duet.quit()
    }

    @Test func keysGoThroughThePresets() throws {
        let duet = try start(["--mic-preset", "Natural"])
        try duet.waitForEvent("playing")
        func value(_ address: String, in events: [[String: Any]]) -> Any? {
            events.last {
                $0["event"] as? String == "parameter" && $0["address"] as? String == address
            }?["value"]
        }
        duet.child.type("x")
        try duet.waitFor { value("/mic/preset", in: $0) as? String == "room" }
        // What changes with it is told, too, and nothing else.
        try duet.waitFor { value("/mic/reverb/decay", in: $0) as? Double == 0.7 }
        #expect(value("/mic/highpass", in: duet.events) == nil)
        duet.child.type("XX")
        try duet.waitFor { value("/mic/reverb", in: $0) as? Bool == false }
        #expect(value("/mic/preset", in: duet.events) as? String == "dry")
        duet.child.type("X")
        try duet.waitFor { value("/mic/preset", in: $0) as? String == "telephone" }
        try duet.quit()
    }

    /// A preset of which something was changed by hand is told as `own`; the next key goes on from
    /// the preset that it was, and without the change.
    @Test func aPresetThatWasChangedIsTold() throws {
        let duet = try start([
            "--mic-preset", "plate", "--control", folder.url.appending(path: "control").path,
        ])
        try duet.waitForEvent("playing")
        func value(_ address: String, in events: [[String: Any]]) -> Any? {
            events.last {
                $0["event"] as? String == "parameter" && $0["address"] as? String == address
            }?["value"]
        }
        let client = try LineClient(path: folder.url.appending(path: "control").path)
        #expect(try client.ask("get /mic/preset") == "ok /mic/preset plate")
        #expect(try client.ask("set /mic/reverb/wet 40") == "ok /mic/reverb/wet 40")
        #expect(try client.ask("get /mic/preset") == "ok /mic/preset own")
        try duet.waitFor { value("/mic/preset", in: $0) as? String == "own" }
        #expect(try client.ask("set /mic/reverb/wet 28") == "ok /mic/reverb/wet 28")
        try duet.waitFor { value("/mic/preset", in: $0) as? String == "plate" }
        #expect(try client.ask("set /mic/reverb/wet 41") == "ok /mic/reverb/wet 41")
        duet.child.type("x")
        try duet.waitFor { value("/mic/preset", in: $0) as? String == "hall" }
        try duet.quit()
    }
}
