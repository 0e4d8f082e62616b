import SystemSupport
import Testing

@testable import JackIO

/// The connections that are made when a server, or another program's port, comes back.
@Suite struct PatchbayReturnTests {
    private static let capture = PatchbayTests.capture
    private static let playback = PatchbayTests.playback
    private static let television = [
        JackPort(name: "hdmi:playback_1", isPhysical: true),
        JackPort(name: "hdmi:playback_2", isPhysical: true),
    ]

    private func wires(_ work: PatchbayWork) -> Set<String> {
        Set(work.connect.map { "\($0.from)>\($0.to)" })
    }

    /// A patchbay all of whose wanted connections were made, in a server with `sinks`.
    private func connected(
        out: PortSelection = .automatic, to sinks: [JackPort] = playback
    ) -> Patchbay {
        var patchbay = PatchbayTests().patchbay(out: out)
        for wire in patchbay.work(sources: Self.capture, sinks: sinks).connect {
            patchbay.note(connected: wire)
        }
        return patchbay
    }

    @Test func anotherDeviceIsNotTakenInPlaceOfOneThatIsStillToCome() {
        var patchbay = connected().afterLoss(of: "duet", as: "duet", at: monotonicSeconds())
        let webcam = JackPort(name: "webcam:capture_1", isPhysical: true)
        let early = patchbay.work(sources: [webcam], sinks: Self.television)
        #expect(early.connect == [])
        #expect(
            early.warnings == [
                .portsNotBack(["system:capture_1"]),
                .portsNotBack(["system:playback_1", "system:playback_2"]),
            ])
        let back = patchbay.work(
            sources: [webcam] + Self.capture, sinks: Self.television + Self.playback,
            registered: Set((Self.capture + Self.playback).map(\.name)))
        #expect(
            wires(back) == [
                "system:capture_1>duet:mic", "duet:out_left>system:playback_1",
                "duet:out_right>system:playback_2",
            ])
        #expect(back.warnings == [])
        for wire in back.connect { patchbay.note(connected: wire) }
        #expect(
            patchbay.work(
                sources: [webcam] + Self.capture, sinks: Self.television + Self.playback
            ).connect == [])
    }

    @Test func whatTheUserTookAwayBeforeStaysAway() {
        var patchbay = connected()
        let left = JackWire(from: "duet:out_left", to: "system:playback_1")
        let moved = JackWire(from: "duet:out_left", to: "rec:in")
        // The user removed the connection long before the server was lost.
        patchbay.note(disconnected: left, at: monotonicSeconds() - 5)
        patchbay.note(connected: moved)
        patchbay = patchbay.afterLoss(of: "duet", as: "duet", at: monotonicSeconds())
        let sinks = Self.playback + [JackPort(name: "rec:in")]
        let back = patchbay.work(sources: Self.capture, sinks: sinks)
        #expect(
            wires(back) == [
                "system:capture_1>duet:mic", "duet:out_left>rec:in",
                "duet:out_right>system:playback_2",
            ])
        for wire in back.connect { patchbay.note(connected: wire) }
        #expect(patchbay.work(sources: Self.capture, sinks: sinks).connect == [])
    }

    @Test func aSharedPortThatComesBackAsTwoIsNotConnectedTwice() throws {
        let synth = [JackPort(name: "synth:in_1"), JackPort(name: "synth:in_2")]
        var patchbay = connected(out: try PortSelection(patterns: ["synth:in"]), to: [synth[0]])
        #expect(patchbay.allWires.contains(.init(from: "duet:out_right", to: "synth:in_1")))
        patchbay = patchbay.afterLoss(of: "duet", as: "duet", at: monotonicSeconds())
        let back = patchbay.work(
            sources: Self.capture, sinks: synth, registered: ["synth:in_1", "synth:in_2"])
        #expect(
            wires(back) == [
                "system:capture_1>duet:mic", "duet:out_left>synth:in_1",
                "duet:out_right>synth:in_2",
            ])
        #expect(!patchbay.allWires.contains(.init(from: "duet:out_right", to: "synth:in_1")))
    }

    /// As if the connections had been saved and opened again.
    @Test func whatIsKeptIsWantedAndNothingElse() {
        var patchbay = connected()
        patchbay.keep()
        let left = JackWire(from: "duet:out_left", to: "system:playback_1")
        let end = monotonicSeconds()
        patchbay.note(disconnected: left, at: end)
        let others = [Self.playback[1]] + Self.television
        #expect(
            patchbay.work(sources: Self.capture, sinks: others, now: end + 0.005)
                .connect == [])
        #expect(
            patchbay.work(
                sources: Self.capture, sinks: others + Self.playback,
                registered: ["system:playback_1"]
            ).connect == [left])
    }

    @Test func whatASessionKeptComesBackWithItsPort() {
        let kept = JackWire(from: ":out_left", to: "rec:in")
        let wire = JackWire(from: "duet:out_left", to: "rec:in")
        let recorder = [JackPort(name: "rec:in")]
        var patchbay = Patchbay(JackConfiguration(name: "duet", wires: [kept]), client: "duet")
        #expect(patchbay.work(sources: [], sinks: recorder).connect == [wire])
        patchbay.note(connected: wire)
        // The program ends: JACK removes the connection, then the port.
        let end = monotonicSeconds()
        patchbay.note(disconnected: wire, at: end)
        #expect(patchbay.work(sources: [], sinks: [], now: end + 0.005).connect == [])
        #expect(patchbay.allWires == [wire])
        #expect(
            patchbay.work(sources: [], sinks: recorder, registered: ["rec:in"]).connect == [wire])
        patchbay.note(connected: wire)
        // The user removes the connection, and the program ends later.
        patchbay.note(disconnected: wire, at: end)
        #expect(patchbay.work(sources: [], sinks: [], now: end + 5).connect == [])
        #expect(patchbay.allWires == [])
        let again = patchbay.work(
            sources: [], sinks: recorder, registered: ["rec:in"], now: end + 6)
        #expect(again.connect == [])
    }
}
