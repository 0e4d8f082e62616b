import JackIO
import Testing

@testable import DuetApp

@Suite struct ConnectionTextTests {
    @Test func aClientsNameIsSaidOnce() {
        let wires: Set = [
            JackWire(from: "system:capture_1", to: ":mic"),
            JackWire(from: ":out_left", to: "system:playback_1"),
            JackWire(from: ":out_right", to: "system:playback_2"),
            JackWire(from: ":out_right", to: "ardour:in"),
            JackWire(from: ":mic_out_left", to: "x:y"),
        ]
        #expect(
            ConnectionText.lines(
                of: wires, client: "duet",
                ports: (inputs: ["mic", "mic_2"], outputs: ["out_left", "out_right"]))
                == [
                    "mic ← system:capture_1", "mic_2 ← nothing",
                    "out → ardour:in, system:playback_1, playback_2",
                ])
    }

    /// A port of the client's own has its whole name, too.
    @Test func aClientIsConnectedToItself() {
        let wires: Set = [
            JackWire(from: ":out_left", to: ":mic"), JackWire(from: ":out_right", to: ":mic"),
            JackWire(from: ":song_out_left", to: ":mic"),
        ]
        #expect(
            ConnectionText.lines(
                of: wires, client: "duet-01", ports: (inputs: ["mic"], outputs: ["out_left"]))
                == ["mic ← duet-01:out_left, out_right, song_out_left", "out → duet-01:mic"])
    }
}
