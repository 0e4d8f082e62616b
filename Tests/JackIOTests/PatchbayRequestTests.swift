import SystemSupport
import Testing

@testable import JackIO

/// What becomes of connections that the server was asked for, also when it dies meanwhile.
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

    /// One that wants what was connected by hand before the server was lost.
    private func bereft() -> Patchbay {
        var patchbay = patchbay()
        patchbay.note(connected: Self.byHand)
        return patchbay.afterLoss(of: "duet", as: "duet", at: Self.now)
    }

    /// What is connected after another death, when all ports are there.
    private func afterLoss(of patchbay: Patchbay) -> Set<JackWire> {
        var next = patchbay.afterLoss(of: "duet", as: "duet", at: Self.now)
        return Set(next.work(sources: [], sinks: Self.playback + [Self.fx]).connect)
    }

    private func overdue(_ patchbay: inout Patchbay, at frame: Int = 100) -> [JackWarning] {
        patchbay.warnAboutOverdue(at: frame, patience: 100) { _ in false }
    }

    // MARK: Wanted until confirmed

    /// Connections that other programs make are theirs, and so is what becomes of them.
    @Test func whoAskedForAConnectionIsKnown() {
        var patchbay = Patchbay(
            microphone: .init(ports: [], selection: .none, isMicrophone: true),
            outputs: .init(
                ports: ["duet:out_left", "duet:out_right"], selection: .automatic,
                isMicrophone: false))
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
                // Made again, in a patchbay.
                patchbay.note(connected: wire),
                patchbay.note(disconnected: wire, at: monotonicSeconds()),
            ]
            #expect(told == [true, true, true, false, false])
        }
    }

    @Test func whatWasAskedForIsWantedUntilItIsThere() {
        var patchbay = bereft()
        #expect(patchbay.work(sources: [], sinks: [Self.fx]).connect == [Self.byHand])
        #expect(patchbay.allWires == [Self.byHand])
        #expect(patchbay.awaited == [Self.byHand])
        // Not asked for again while it may come.
        let other = JackPort(name: "other:in")
        #expect(
            patchbay.work(sources: [], sinks: [Self.fx, other], registered: ["other:in"])
                == PatchbayWork())
        patchbay.note(connected: Self.byHand)
        #expect(patchbay.awaited == [])
        #expect(patchbay.allWires == [Self.byHand])
        // Taken away by the user now, it is wanted no more.
        patchbay.note(disconnected: Self.byHand, at: Self.now)
        #expect(patchbay.allWires == [])
    }

    @Test func aSecondDeathInTheMiddleLosesNothing() {
        var first = patchbay(.automatic)
        _ = first.work(sources: [], sinks: Self.playback)
        #expect(first.awaited == [Self.left, Self.right])
        // Neither confirmed.
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
            // One comes, one is refused by the dying server, one gets no answer.
            if death.isMultiple(of: 2) { patchbay.note(connected: Self.left) }
            patchbay.note(refused: Self.byHand)
            #expect(patchbay.warnAboutOverdue(at: 99, patience: 100) { _ in false } == [])
        }
        #expect(afterLoss(of: patchbay) == all)
    }

    @Test func aPortThatGoesBeforeTheAnswerIsAskedForAgain() {
        var patchbay = bereft()
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
            .two(try PortPattern(pattern: "^fx:"), try PortPattern(pattern: "x")))
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
        var patchbay = bereft()
        _ = patchbay.work(sources: [], sinks: [Self.fx], at: 50)
        #expect(patchbay.warnAboutOverdue(at: 149, patience: 100) { _ in false } == [])
        let told = overdue(&patchbay, at: 150)
        #expect(told == [.connectionIgnored(Self.byHand)])
        #expect(patchbay.allWires == [])
        #expect(overdue(&patchbay, at: 900) == [])
        #expect(patchbay.work(sources: [], sinks: [Self.fx]).connect == [])
    }

    @Test func whatIsConnectedIsNeverOverdue() {
        var patchbay = bereft()
        _ = patchbay.work(sources: [], sinks: [Self.fx])
        // JACK's word is still under way.
        #expect(patchbay.warnAboutOverdue(at: 100, patience: 100) { _ in true } == [])
        #expect(overdue(&patchbay, at: 900) == [])
        #expect(patchbay.allWires == [Self.byHand])
        #expect(afterLoss(of: patchbay) == [Self.byHand])
    }

    // MARK: Programs that are not active yet

    @Test func aProgramThatIsNotActiveYetIsAskedAgainWhenItIs() {
        var patchbay = bereft()
        _ = patchbay.work(sources: [], sinks: Self.playback)
        // Its ports are listed, but JACK has not told of them: another program's port did.
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
        // Active now: a second no is the server's.
        patchbay.note(refused: Self.byHand)
        #expect(overdue(&patchbay, at: 1099) == [])
        #expect(overdue(&patchbay, at: 1100).count == 1)
        #expect(patchbay.allWires == [])
    }

    /// It was there first, so that nobody can tell whether it is active: both causes are told.
    @Test func aProgramThatWasThereFirstStaysWanted() {
        var patchbay = bereft()
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

    /// A client's own ports are told of when it activates: no reason to ask again.
    @Test func ownPortsAreNoNews() {
        var patchbay = bereft()
        _ = patchbay.work(sources: [], sinks: [Self.fx])
        #expect(
            patchbay.work(sources: [], sinks: [Self.fx], registered: ["duet:out_left"]).connect
                == [])
        #expect(overdue(&patchbay).count == 1)
    }

    // MARK: What was taken away

    /// jackd 1.9.21, ended by SIGTERM: the driver's connections go within some milliseconds of
    /// the notice, and the control thread takes both together.
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

    /// A single match had served both sides; the better one took its place before any answer.
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
