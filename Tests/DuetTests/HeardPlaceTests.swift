import Testing

@testable import DuetApp

/// The place in a song that is heard, from what is seen of its rendering.
@Suite struct HeardPlaceTests {
    private var place = HeardPlace()

    /// Nothing is heard before it was rendered.
    @Test mutating func whatIsRenderedIsHeardLater() {
        #expect(!place.hasBegun && place.place(at: 5) == nil)
        place.note(60, speed: 1, step: 0.02, at: 10)
        #expect(place.hasBegun && place.place(at: 9.9) == nil)
        #expect(place.wait(from: 9.9, until: 61).isAbout(0.1))
        #expect(place.place(at: 10) == 60 && place.place(at: 10.5) == 60.5)
        #expect(place.wait(from: 10.5, until: 61).isAbout(0.5))
        #expect(place.wait(from: 10.5, until: nil) == .infinity)
        #expect(place.wait(from: 12, until: 61) == 0)
    }

    /// What was rendered before a jump is heard until the jump is.
    @Test mutating func jumpsAreHeardLater() {
        place.note(10, speed: 0.8, step: 0.02, at: 0)
        place.note(10.8, speed: 0.8, step: 0.02, at: 1)
        place.note(40, speed: 0.8, step: 0.02, at: 1.5)
        place.note(2, speed: 0.8, step: 0.02, at: 1.75)
        #expect(place.place(at: 1.4)?.isAbout(11.12) == true)
        #expect(place.wait(from: 1.4, until: 50).isAbout(0.1))
        #expect(place.wait(from: 1.4, until: 11.16).isAbout(0.05))
        #expect(place.place(at: 1.5) == 40 && place.place(at: 1.75) == 2)
        #expect(place.place(at: 2)?.isAbout(2.2) == true)
    }

    @Test mutating func aPauseStandsStill() {
        place.note(10, speed: 1, step: 0.02, at: 0)
        place.note(11, speed: 0, step: 0.02, at: 1)
        for time in [1.0, 2, 3] {
            place.note(11, speed: 0, step: 0.02, at: time)
            #expect(place.place(at: time) == 11)
            #expect(place.wait(from: time, until: 12) == .infinity)
        }
        place.note(11, speed: 1, step: 0.02, at: 3)
        #expect(place.place(at: 2.9) == 11 && place.place(at: 3.5) == 11.5)
        #expect(place.wait(from: 2.9, until: 12).isAbout(0.1))
    }

    /// A song is rendered a cycle at a time, and seen at any time within it: the place is up to a
    /// cycle behind where it is when the cycle begins. The song's clock may be slower than that of
    /// the program.
    @Test(arguments: [0.02, 0.17], [1.0, 0.9995])
    func aPlaceThatMovesOnInCycles(cycle: Double, clock: Double) {
        var place = HeardPlace()
        var (last, behind) = (0.0, [Double]())
        for number in 1..<6000 {
            let now = Double(number) * 0.0131
            let rendered = (now * clock / cycle).rounded(.up) * cycle
            place.note(rendered, speed: 1, step: cycle, at: now)
            let heard = place.place(at: now)!
            #expect(heard >= last, "at \(now)")
            last = heard
            // The first cycles show where it is.
            if number > 100 { behind.append(now * clock + cycle - heard) }
        }
        let (least, most) = (behind.min() ?? -1, behind.max() ?? 1)
        // Seen up to 13.1 ms after a cycle has begun, and slowed down by a twentieth until then.
        #expect(least > -0.001 && most < 0.0132 + 0.05 * cycle, "\(least)…\(most)")
    }

    /// Of a storm of jumps the newest are kept.
    @Test mutating func manyJumps() {
        for number in 0..<1000 {
            place.note(Double(number % 2) * 100, speed: 1, step: 0.02, at: Double(number) * 0.001)
        }
        #expect(place.place(at: 0.999) == 100 && place.place(at: 0.5) == nil)
    }
}

extension Double {
    fileprivate func isAbout(_ other: Double) -> Bool { abs(self - other) < 1e-9 }
}
