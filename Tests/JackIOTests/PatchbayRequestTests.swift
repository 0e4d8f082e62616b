import SystemSupport
import Testing

@testable import JackIO

/// Connections that the server was asked for, also when the server dies before it answers.
@Suite struct PatchbayRequestTests {
    private static let capture = PatchbayTests.capture
    private static let playback = PatchbayTests.playback
    private static let fx = JackPort(name: "fx:in")
    private static let left = JackWire(from: "duet:out_left", to: "system:playback_1")
    private static let right = JackWire(from: "duet:out_right", to: "system:playback_2")
    private static let byHand = JackWire(from: "duet:out_left", to: "fx:in")
    private static let now = monotonicSeconds()

    private func patchbay(_ outputs: PortSelection = .none) -> Patchbay {
        Patchbay(
            .init(name: "duet", microphoneChannels: 0, microphone: .none, outputs: outputs),
            client: "duet")
    }

    /// A patchbay after the loss of its server: it wants the connection that was made by hand
    /// before.
    private func patchbayThatLostItsServer() -> Patchbay {
        var patchbay = patchbay()
        patchbay.note(connected: Self.byHand)
        return patchbay.afterLoss(of: "duet", as: "duet", at: Self.now)
    }

    /// The connections that are requested after another loss of the server, when all ports are
    /// there.
    private func afterLoss(of patchbay: Patchbay) -> Set<JackWire> {
        var next = patchbay.afterLoss(of: "duet", as: "duet", at: Self.now)
        return Set(next.work(sources: [], sinks: Self.playback + [Self.fx]).connect)
    }

    private func overdue(_ patchbay: inout Patchbay, at frame: Int = 100) -> [JackWarning] {
        patchbay.warnAboutOverdue(at: frame, patience: 100) { _ in false }
    }

    // MARK: Wanted until confirmed

    /// Connections that other programs make, and the end of such connections, are not ours.
    @Test func theProgramThatAskedForAConnectionIsKnown() {
        var patchbay = Patchbay([
            .init(
                ports: ["duet:out_left", "duet:out_right"], selection: .automatic, side: .outputs)
        ])
        let sinks = [1, 2].map {
            JackPort(
                name: "system:playback_\($0)", aliases: [], isPhysical: true)
        }
        let work = patchbay.work(sources: [], sinks: sinks)
        #expect(work.connect.count == 2)
        for wire in work.connect {
            let told = [
                patchbay.note(connected: wire), patchbay.note(connected: wire),
                patchbay.note(disconnected: wire, at: monotonicSeconds()),
                // The user makes the connection again, in a patchbay.
                patchbay.note(connected: wire),
                patchbay.note(disconnected: wire, at: monotonicSeconds()),
            ]
            #expect(told == [true, true, true, false, false])
        }
    }

    @Test func whatWasAskedForIsWantedUntilItIsThere() {
        var patchbay = patchbayThatLostItsServer()
        #expect(patchbay.work(sources: [], sinks: [Self.fx]).connect == [Self.byHand])
        #expect(patchbay.allWires == [Self.byHand])
        #expect(patchbay.awaited == [Self.byHand])
        // Not requested again while the server may still make the connection.
        let other = JackPort(name: "other:in")
        #expect(
            patchbay.work(sources: [], sinks: [Self.fx, other], registered: ["other:in"])
                == PatchbayWork())
        patchbay.note(connected: Self.byHand)
        #expect(patchbay.awaited == [])
        #expect(patchbay.allWires == [Self.byHand])
        // When the user removes the connection now, it is not wanted any more.
        patchbay.note(disconnected: Self.byHand, at: Self.now)
        #expect(patchbay.allWires == [])
    }

    @Test func aSecondDeathInTheMiddleLosesNothing() {
        var first = patchbay(.automatic)
        _ = first.work(sources: [], sinks: Self.playback)
        #expect(first.awaited == [Self.left, Self.right])
        // Neither of the two requests is confirmed.
        #expect(afterLoss(of: first) == [Self.left, Self.right])
        first.note(connected: Self.left)
        first.note(connected: Self.right)
        first.note(connected: Self.byHand)
        let all: Set = [Self.left, Self.right, Self.byHand]
        var patchbay = first
        for death in 0..<4 {
            patchbay = patchbay.afterLoss(of: "duet", as: "duet", at: Self.now)
            #expect(patchbay.allWires == all)
            #expect(
                Set(patchbay.work(sources: [], sinks: Self.playback + [Self.fx]).connect) == all)
            // Of the requests one is granted, one is refused by the dying server, one gets no
            // answer.
            if death.isMultiple(of: 2) { patchbay.note(connected: Self.left) }
            patchbay.note(refused: Self.byHand)
            #expect(patchbay.warnAboutOverdue(at: 99, patience: 100) { _ in false } == [])
        }
        #expect(afterLoss(of: patchbay) == all)
    }

    @Test func aPortThatGoesBeforeTheAnswerIsAskedForAgain() {
        var patchbay = patchbayThatLostItsServer()
        _ = patchbay.work(sources: [], sinks: [Self.fx])
        patchbay.note(refused: Self.byHand)
        #expect(patchbay.warnAboutOverdue(at: 100, patience: 100) { _ in nil } == [])
        #expect(patchbay.allWires == [Self.byHand])
        #expect(patchbay.work(sources: [], sinks: []).connect == [])
        #expect(
            patchbay.work(sources: [], sinks: [Self.fx], registered: ["fx:in"]).connect
                == [Self.byHand])
    }

    @Test func whatIsChosenAndWantedIsAskedForOnce() throws {
        var patchbay = patchbay(
            .each([try PortPattern(pattern: "^fx:"), try PortPattern(pattern: "x")]))
        _ = patchbay.work(sources: [], sinks: [Self.fx])
        patchbay = patchbay.afterLoss(of: "duet", as: "duet", at: Self.now)
        #expect(patchbay.work(sources: [], sinks: []).connect == [])
        let work = patchbay.work(sources: [], sinks: [Self.fx], registered: ["fx:in"])
        #expect(work.connect.filter { $0 == Self.byHand }.count == 1)
    }

    // MARK: Refused, or overdue

    @Test func refusedIsToldOnceAndGivenUp() {
        var patchbay = patchbay(.automatic)
        _ = patchbay.work(sources: [], sinks: Self.playback)
        patchbay.note(refused: Self.left)
        patchbay.note(connected: Self.right)
        #expect(patchbay.awaited == [])
        #expect(patchbay.warnAboutOverdue(at: 99, patience: 100) { _ in false } == [])
        let told = overdue(&patchbay)
        #expect(told == [.connectionRefused(Self.left)])
        #expect(patchbay.allWires == [Self.right])
        #expect(patchbay.work(sources: [], sinks: Self.playback) == PatchbayWork())
        #expect(overdue(&patchbay, at: 900) == [])
        #expect(afterLoss(of: patchbay) == [Self.right])
    }

    @Test func ignoredIsToldOnceAndGivenUp() {
        var patchbay = patchbayThatLostItsServer()
        _ = patchbay.work(sources: [], sinks: [Self.fx], at: 50)
        #expect(patchbay.warnAboutOverdue(at: 149, patience: 100) { _ in false } == [])
        let told = overdue(&patchbay, at: 150)
        #expect(told == [.connectionIgnored(Self.byHand)])
        #expect(patchbay.allWires == [])
        #expect(overdue(&patchbay, at: 900) == [])
        #expect(patchbay.work(sources: [], sinks: [Self.fx]).connect == [])
    }

    @Test func whatIsConnectedIsNeverOverdue() {
        var patchbay = patchbayThatLostItsServer()
        _ = patchbay.work(sources: [], sinks: [Self.fx])
        // The connection is there, but JACK's report of it has not come yet.
        #expect(patchbay.warnAboutOverdue(at: 100, patience: 100) { _ in true } == [])
        #expect(overdue(&patchbay, at: 900) == [])
        #expect(patchbay.allWires == [Self.byHand])
        #expect(afterLoss(of: patchbay) == [Self.byHand])
    }

    // MARK: Programs that are not active yet

    @Test func aProgramThatIsNotActiveYetIsAskedAgainWhenItIs() {
        var patchbay = patchbayThatLostItsServer()
        _ = patchbay.work(sources: [], sinks: Self.playback)
        // The program's port is listed, but JACK has only reported the port of another program.
        let other = JackPort(name: "other:in")
        let seen = Self.playback + [Self.fx, other]
        #expect(
            patchbay.work(sources: [], sinks: seen, registered: ["other:in"]).connect == [
                Self.byHand
            ])
        patchbay.note(refused: Self.byHand)
        #expect(overdue(&patchbay) == [])
        #expect(patchbay.allWires == [Self.byHand])
        #expect(patchbay.work(sources: [], sinks: seen, at: 200).connect == [])
        #expect(overdue(&patchbay, at: 900) == [])
        #expect(
            patchbay.work(sources: [], sinks: seen, registered: ["fx:in"], at: 1000).connect
                == [Self.byHand])
        // The program is active now, so it is the server that refuses the second time.
        patchbay.note(refused: Self.byHand)
        #expect(overdue(&patchbay, at: 1099) == [])
        #expect(overdue(&patchbay, at: 1100).count == 1)
        #expect(patchbay.allWires == [])
    }

    /// The program was there before our client, so we cannot tell whether it is active: the warning
    /// names both causes.
    @Test func aProgramThatWasThereFirstStaysWanted() {
        var patchbay = patchbayThatLostItsServer()
        _ = patchbay.work(sources: [], sinks: [Self.fx])
        patchbay.note(refused: Self.byHand)
        let told = overdue(&patchbay)
        #expect(told == [.connectionRefusedOrInactive(Self.byHand, client: "fx")])
        #expect(overdue(&patchbay, at: 900) == [])
        #expect(afterLoss(of: patchbay) == [Self.byHand])
        #expect(
            patchbay.work(sources: [], sinks: [Self.fx], registered: ["fx:in"]).connect
                == [Self.byHand])
    }

    /// JACK reports a client's own ports when it activates: that is no reason for another request.
    @Test func ownPortsCauseNoNewRequest() {
        var patchbay = patchbayThatLostItsServer()
        _ = patchbay.work(sources: [], sinks: [Self.fx])
        #expect(
            patchbay.work(sources: [], sinks: [Self.fx], registered: ["duet:out_left"]).connect
                == [])
        #expect(overdue(&patchbay).count == 1)
    }

    // MARK: What was taken away

    /// jackd 1.9.21, ended by SIGTERM, removes the driver's connections within some milliseconds of
    /// its shutdown notice, and the control thread reads both together.
    @Test func whatADyingServerTakesAwayIsWanted() {
        var patchbay = patchbay(.automatic)
        _ = patchbay.work(sources: [], sinks: Self.playback)
        for wire in [Self.left, Self.right, Self.byHand] { patchbay.note(connected: wire) }
        patchbay.note(disconnected: Self.byHand, at: Self.now - 1)
        patchbay.note(disconnected: Self.left, at: Self.now - 0.005)
        patchbay.note(disconnected: Self.right, at: Self.now - 0.004)
        #expect(afterLoss(of: patchbay) == [Self.left, Self.right])
    }

    @Test func whatTheUserTookAwayStaysAwayUnderAnotherName() {
        var patchbay = patchbay(.automatic)
        _ = patchbay.work(sources: [], sinks: Self.playback)
        for wire in [Self.left, Self.right, Self.byHand] { patchbay.note(connected: wire) }
        patchbay.note(disconnected: Self.right, at: Self.now - 5)
        var next = patchbay.afterLoss(of: "duet", as: "duet-01", at: Self.now)
        #expect(
            Set(next.work(sources: [], sinks: Self.playback + [Self.fx]).connect) == [
                JackWire(from: "duet-01:out_left", to: "system:playback_1"),
                JackWire(from: "duet-01:out_left", to: "fx:in"),
            ])
        #expect(next.work(sources: [], sinks: Self.playback + [Self.fx]) == PatchbayWork())
    }

    /// A single match served both sides; before the server answered, a better match came for one
    /// side.
    @Test func whatIsTakenBackIsWantedNoMore() throws {
        var patchbay = patchbay(.one(try PortPattern(pattern: "fx:")))
        _ = patchbay.work(sources: [], sinks: [Self.fx])
        let second = JackPort(name: "fx:in_2")
        let work = patchbay.work(sources: [], sinks: [Self.fx, second])
        let shared = JackWire(from: "duet:out_right", to: "fx:in")
        let better = JackWire(from: "duet:out_right", to: "fx:in_2")
        #expect(work.disconnect == [shared])
        #expect(work.connect == [better])
        #expect(patchbay.allWires == [Self.byHand, better])
    }
}
