import SystemSupport
import Testing

@testable import JackIO

@Suite struct PatchbayTests {
    static let capture = [
        JackPort(name: "system:capture_1", isPhysical: true),
        JackPort(name: "system:capture_2", isPhysical: true),
    ]
    static let playback = [
        JackPort(name: "system:playback_1", isPhysical: true),
        JackPort(name: "system:playback_2", isPhysical: true),
    ]

    func patchbay(
        mic: PortSelection = .automatic, out: PortSelection = .automatic,
        micPorts: [String] = ["duet:mic"]
    ) -> Patchbay {
        Patchbay([
            .init(ports: micPorts, selection: mic, side: .microphone(1)),
            .init(ports: ["duet:out_left", "duet:out_right"], selection: out, side: .outputs),
        ])
    }

    func wires(_ work: PatchbayWork) -> [String] { work.connect.map { "\($0.from)>\($0.to)" } }

    @Test func automaticTakesThePhysicalPorts() {
        var patchbay = patchbay()
        let synth = JackPort(name: "synth:out")
        let work = patchbay.work(
            sources: [synth] + Self.capture,
            sinks: [JackPort(name: "rec:in_1"), JackPort(name: "rec:in_2")] + Self.playback)
        #expect(
            wires(work) == [
                "system:capture_1>duet:mic", "duet:out_left>system:playback_1",
                "duet:out_right>system:playback_2",
            ])
        #expect(work.warnings == [])
    }

    @Test func aSecondMicrophoneHasAPortOfItsOwn() throws {
        let pattern = try PortPattern(pattern: "^voice:")
        var patchbay = Patchbay(
            JackConfiguration(name: "duet", moreMicrophones: [.one(pattern)]), client: "duet")
        let without = patchbay.work(sources: Self.capture, sinks: Self.playback)
        #expect(without.connect.count == 3)
        #expect(
            without.warnings == [
                .noMatch(
                    .microphone(2), patterns: ["^voice:"],
                    candidates: ["system:capture_1", "system:capture_2"])
            ])
        let voice = JackPort(name: "voice:out")
        let later = patchbay.work(
            sources: Self.capture + [voice], sinks: Self.playback, registered: ["voice:out"])
        #expect(wires(later) == ["voice:out>duet:mic_2"])
        for wire in without.connect + later.connect { patchbay.note(connected: wire) }
        // All come back with the server.
        var back = patchbay.afterLoss(of: "duet", as: "duet-01", at: monotonicSeconds())
        let again = back.work(sources: Self.capture + [voice], sinks: Self.playback)
        #expect(
            Set(wires(again)) == [
                "system:capture_1>duet-01:mic", "voice:out>duet-01:mic_2",
                "duet-01:out_left>system:playback_1", "duet-01:out_right>system:playback_2",
            ])
        patchbay.keep()
        #expect(patchbay.allWires.count == 4)
    }

    @Test func clientWithoutAPairIsLeftAlone() {
        var patchbay = patchbay()
        let mono = JackPort(name: "mono:playback", isPhysical: true)
        let alone = patchbay.work(sources: Self.capture, sinks: [mono])
        #expect(wires(alone) == ["system:capture_1>duet:mic"])
        #expect(alone.warnings.count == 1)
        let later = patchbay.work(sources: Self.capture, sinks: [mono] + Self.playback)
        #expect(
            wires(later)
                == ["duet:out_left>system:playback_1", "duet:out_right>system:playback_2"])
    }

    @Test func withoutAMicrophoneTheWarningNamesCandidates() {
        var patchbay = patchbay()
        let synth = JackPort(name: "synth:out")
        let monitor = JackPort(name: "sink:monitor_FL")
        let work = patchbay.work(sources: [monitor, synth], sinks: Self.playback)
        #expect(work.warnings == [.noPhysicalPort(.microphone(1), candidates: ["synth:out"])])
        // The warning comes once, not at every new port.
        #expect(patchbay.work(sources: [synth], sinks: Self.playback).warnings == [])
    }

    @Test func monitorIsNoMicrophone() {
        var patchbay = patchbay()
        let monitor = JackPort(name: "sink:monitor_FL", isPhysical: true)
        #expect(patchbay.work(sources: [monitor], sinks: []).connect == [])
    }

    /// PipeWire's sources without hardware take their sound at ports that PipeWire calls physical.
    @Test func aSourcesInputPlaysNothing() {
        var patchbay = patchbay()
        let input = ["FL", "FR"].map { JackPort(name: "source:input_\($0)", isPhysical: true) }
        let alone = patchbay.work(sources: Self.capture, sinks: input)
        #expect(wires(alone) == ["system:capture_1>duet:mic"])
        #expect(alone.warnings == [.noPhysicalPort(.outputs, candidates: [])])
        #expect(
            wires(patchbay.work(sources: Self.capture, sinks: input + Self.playback))
                == ["duet:out_left>system:playback_1", "duet:out_right>system:playback_2"])
    }

    @Test func onePatternServesBothSidesUntilASecondMatchComes() throws {
        var patchbay = patchbay(mic: .none, out: try PortSelection(patterns: ["rec:"]))
        let first = JackPort(name: "rec:in_1")
        let second = JackPort(name: "rec:in_2")
        let work = patchbay.work(sources: [], sinks: [first])
        #expect(wires(work) == ["duet:out_left>rec:in_1", "duet:out_right>rec:in_1"])
        let more = patchbay.work(sources: [], sinks: [first, second])
        #expect(more.disconnect == [.init(from: "duet:out_right", to: "rec:in_1")])
        #expect(wires(more) == ["duet:out_right>rec:in_2"])
    }

    @Test func twoPatternsAreForTheirOwnSides() throws {
        var patchbay = patchbay(mic: .none, out: try PortSelection(patterns: ["b:", "a:"]))
        let work = patchbay.work(sources: [], sinks: [JackPort(name: "a:in")])
        #expect(wires(work) == ["duet:out_right>a:in"])
        #expect(
            work.warnings == [.noMatch(.outputs, patterns: ["b:"], candidates: ["a:in"])])
        let later = patchbay.work(
            sources: [], sinks: [JackPort(name: "a:in"), JackPort(name: "b:in")])
        #expect(wires(later) == ["duet:out_left>b:in"])
    }

    @Test func stereoMicrophoneTakesTwo() throws {
        let ports = ["duet:mic_left", "duet:mic_right"]
        var automatic = patchbay(micPorts: ports)
        #expect(
            wires(automatic.work(sources: Self.capture, sinks: Self.playback)).prefix(2)
                == ["system:capture_1>duet:mic_left", "system:capture_2>duet:mic_right"])
        var single = patchbay(mic: try PortSelection(patterns: ["_2"]), micPorts: ports)
        #expect(
            wires(single.work(sources: Self.capture, sinks: Self.playback)).prefix(2)
                == ["system:capture_2>duet:mic_left", "system:capture_2>duet:mic_right"])
    }

    /// A client with enough ports gives one to each channel; one with fewer gives all its first.
    @Test func aMicrophoneOfManyChannelsTakesAsMany() throws {
        let names = JackConfiguration(name: "duet", microphoneChannels: 6).microphonePorts
        #expect(names == (1...6).map { "mic_ch\($0)" })
        let ports = names.map { "duet:\($0)" }
        let interface = (1...8).map { JackPort(name: "card:in_\($0)", isPhysical: true) }
        func wires(_ selection: PortSelection, _ sources: [JackPort]) -> [String] {
            var patchbay = patchbay(mic: selection, out: .none, micPorts: ports)
            return self.wires(patchbay.work(sources: sources, sinks: []))
        }
        let all = (1...6).map { "card:in_\($0)>duet:mic_ch\($0)" }
        #expect(wires(.automatic, Self.capture + interface) == all)
        #expect(
            wires(.automatic, Self.capture)
                == (1...6).map { "system:capture_1>duet:mic_ch\($0)" })
        #expect(wires(try PortSelection(patterns: ["card:"]), interface) == all)
        // What comes later takes the place of the first.
        var later = patchbay(
            mic: try PortSelection(patterns: ["card:"]), out: .none, micPorts: ports)
        _ = later.work(sources: Array(interface.prefix(2)), sinks: [])
        let work = later.work(sources: interface, sinks: [])
        #expect(self.wires(work) == Array(all.dropFirst(2)) && work.disconnect.count == 4)
        // Channels without a pattern are nobody's fault.
        var each = patchbay(
            mic: try PortSelection(patterns: ["in_7", "in_8", "in_1"]), out: .none,
            micPorts: ports)
        let some = each.work(sources: interface, sinks: [])
        #expect(
            self.wires(some) == [
                "card:in_7>duet:mic_ch1", "card:in_8>duet:mic_ch2", "card:in_1>duet:mic_ch3",
            ])
        #expect(some.warnings == [])
    }

    @Test func whatTheUserTookAwayStaysAway() {
        var patchbay = patchbay()
        _ = patchbay.work(sources: Self.capture, sinks: Self.playback)
        let synth = JackPort(name: "synth:out")
        let work = patchbay.work(
            sources: Self.capture + [synth], sinks: Self.playback, registered: ["synth:out"])
        #expect(work == PatchbayWork())
    }

    @Test func portThatComesBackIsConnectedAgain() {
        var patchbay = patchbay()
        _ = patchbay.work(sources: Self.capture, sinks: Self.playback)
        #expect(patchbay.work(sources: [], sinks: Self.playback).connect == [])
        #expect(
            wires(patchbay.work(sources: Self.capture, sinks: Self.playback))
                == ["system:capture_1>duet:mic"])
        // The port went and came back between two looks.
        let work = patchbay.work(
            sources: Self.capture, sinks: Self.playback, registered: ["system:playback_2"])
        #expect(wires(work) == ["duet:out_right>system:playback_2"])
    }

    /// A warning holds until each port of its side is connected to a port that was looked for.
    @Test func aWarningOfASideIsSettledByItsOwnConnectionsAlone() throws {
        var patchbay = Patchbay(
            JackConfiguration(
                name: "duet", microphoneChannels: 2,
                microphone: .each([
                    try PortPattern(pattern: "^left:"), try PortPattern(pattern: "^right:"),
                ]),
                outputs: .one(try PortPattern(pattern: "^amp:")), directOutputs: ["song"]),
            client: "duet")
        var sources: [JackPort] = []
        var sinks = ["recorder:in_1", "recorder:in_2"].map { JackPort(name: $0) }
        #expect(patchbay.work(sources: sources, sinks: sinks).warnings.count == 2)
        // Other programs connect what the warnings are not about.
        for (from, to) in [
            ("duet:song_out_left", "recorder:in_1"), ("duet:song_out_right", "recorder:in_2"),
            ("duet:out_left", "recorder:in_1"), ("synth:out", "duet:mic_left"),
        ] {
            patchbay.note(connected: JackWire(from: from, to: to))
            #expect(patchbay.settleWarnings() == [])
        }
        /// What is settled after each connection that is made once `port` is there.
        func settled(_ port: String, isSource: Bool) -> [[JackWarning.Side]] {
            let new = JackPort(name: port)
            if isSource { sources.append(new) } else { sinks.append(new) }
            let work = patchbay.work(sources: sources, sinks: sinks, registered: [port])
            #expect(patchbay.settleWarnings() == [] && work.warnings == [])
            return work.connect.map { wire in
                patchbay.note(connected: wire)
                return patchbay.settleWarnings()
            }
        }
        #expect(settled("left:out", isSource: true) == [[]])
        #expect(settled("right:out", isSource: true) == [[.microphone(1)]])
        #expect(settled("amp:in", isSource: false) == [[], [.outputs]])
        // It is told once.
        #expect(settled("amp:in_2", isSource: false) == [[]])
    }

    @Test func aWarningOfTheSecondMicrophoneIsItsOwn() throws {
        let pattern = try PortPattern(pattern: "^voice:")
        var patchbay = Patchbay(
            JackConfiguration(
                name: "duet", microphone: .one(pattern), moreMicrophones: [.one(pattern)]),
            client: "duet")
        #expect(patchbay.work(sources: [], sinks: Self.playback).warnings.count == 2)
        let work = patchbay.work(
            sources: [JackPort(name: "voice:out")], sinks: Self.playback, registered: ["voice:out"])
        let settled = work.connect.map { wire in
            patchbay.note(connected: wire)
            return patchbay.settleWarnings()
        }
        #expect(wires(work) == ["voice:out>duet:mic", "voice:out>duet:mic_2"])
        #expect(settled == [[.microphone(1)], [.microphone(2)]])
    }

    @Test func noneConnectsNothingAndWarnsNobody() {
        var patchbay = patchbay(mic: .none, out: .none)
        #expect(patchbay.work(sources: Self.capture, sinks: Self.playback) == PatchbayWork())
    }
}
