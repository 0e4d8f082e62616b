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
        let text = ConnectionText(
            of: wires, client: "duet", inputs: ["mic", "mic_2"],
            outputs: ["out_left", "out_right"])
        #expect(
            text.lines == [
                .init(text: "mic ← system:capture_1"),
                .init(text: "mic2: not connected", isWarning: true),
                .init(text: "left → system:playback_1"),
                .init(text: "right → ardour:in, system:playback_2"),
            ])
        #expect(text.silent == ["mic2"])
    }

    @Test func eachOfFourMicrophonesIsNamed() {
        let text = ConnectionText(
            of: [JackWire(from: "system:capture_3", to: ":mic_3")], client: "duet",
            inputs: ["mic", "mic_2", "mic_3", "mic_4"], outputs: [], leftOpen: ["mic4"])
        #expect(
            text.lines.map(\.text) == [
                "mic: not connected", "mic2: not connected", "mic3 ← system:capture_3",
                "mic4: not connected",
            ])
        #expect(text.silent == ["mic", "mic2"] && !text.lines[3].isWarning)
    }

    /// A port of the client's own has its whole name, too.
    @Test func aClientIsConnectedToItself() {
        let wires: Set = [
            JackWire(from: ":out_left", to: ":mic"), JackWire(from: ":out_right", to: ":mic"),
            JackWire(from: ":song_out_left", to: ":mic"),
        ]
        let text = ConnectionText(
            of: wires, client: "duet-01", inputs: ["mic"], outputs: ["out_left"])
        #expect(
            text.lines.map(\.text) == [
                "mic ← duet-01:out_left, out_right, song_out_left", "left → duet-01:mic",
            ])
    }

    /// A stereo microphone is heard with one of its sides; sides that are crossed are seen.
    @Test func sidesStandForThemselves() {
        let wires: Set = [
            JackWire(from: "system:capture_2", to: ":mic_right"),
            JackWire(from: ":out_left", to: "system:playback_2"),
            JackWire(from: ":out_right", to: "system:playback_1"),
        ]
        let text = ConnectionText(
            of: wires, client: "duet", inputs: ["mic_left", "mic_right"],
            outputs: ["out_left", "out_right"])
        #expect(text.silent.isEmpty && text.lines[0].isWarning)
        #expect(
            text.lines.suffix(2).map(\.text) == [
                "left → system:playback_2", "right → system:playback_1",
            ])
        let none = ConnectionText(
            of: [], client: "duet", inputs: ["mic_left", "mic_right"], outputs: [])
        #expect(none.silent == ["mic"])
        // Who asks for no connection is not warned of it.
        let open = ConnectionText(
            of: [], client: "duet", inputs: ["mic", "mic_2"], outputs: ["out_left", "out_right"],
            leftOpen: ["mic", "right"])
        #expect(
            open.silent == ["mic2"] && open.lines.map(\.isWarning) == [false, true, true, false])
    }
}
