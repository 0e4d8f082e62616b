/// Where in a song the ear is: what is rendered now is heard later, by the time that the server and
/// the sound card take.
///
/// Made of stretches in which the song moves on evenly: at a jump, at another tempo and at a pause
/// another one begins. Times are seconds of the clock, places seconds of the song.
struct HeardPlace {
    private struct Stretch {
        /// When it began.
        let begin: Double
        /// At `time` the song was rendered up to `place`.
        var time: Double
        var place: Double
        /// Where the song was seen last, which may be a little behind `place`.
        var seen: Double
        /// Seconds of the song in a second.
        let speed: Double

        func place(at time: Double) -> Double { place + speed * (time - self.time) }
    }

    /// Most stretches that are kept: those before were heard long ago.
    private static let mostStretches = 16
    /// A song is rendered a cycle at a time, so that within a cycle it is found a little behind the
    /// place that moves on evenly: no reason to move that back. A slower clock and missed cycles are
    /// one: the place moves on by this share slower while the song is behind it.
    private static let slowing = 0.05
    /// Missed cycles, of less than so many seconds, never move the place back: a word that has begun
    /// would begin again.
    private static let longestGap = 0.25

    private var stretches: [Stretch] = []

    /// Whether anything was rendered.
    var hasBegun: Bool { !stretches.isEmpty }

    /// At `now` the song is rendered up to `place`, and moves on with `speed`, 0 while it stands
    /// still.
    ///
    /// - Parameter step: how far it moves on in a cycle, in seconds of the song: a place that is that
    ///   far from where it should be is no jump.
    mutating func note(_ place: Double, speed: Double, step: Double, at now: Double) {
        if var last = stretches.last, last.speed == speed {
            let expected = last.place(at: now)
            let gap = expected - place
            let missedCycles = place >= last.seen && (0..<Self.longestGap).contains(gap)
            if abs(gap) <= step + 0.05 || missedCycles {
                let slowest = expected - Self.slowing * speed * (now - last.time)
                (last.time, last.place, last.seen) = (now, max(place, slowest), place)
                stretches[stretches.count - 1] = last
                return
            }
        }
        if stretches.count == Self.mostStretches { stretches.removeFirst() }
        stretches.append(
            Stretch(begin: now, time: now, place: place, seen: place, speed: speed))
    }

    /// The place that was rendered at `time`; nil where nothing was.
    func place(at time: Double) -> Double? {
        stretches.last { $0.begin <= time }?.place(at: time)
    }

    /// Seconds from `time` on until the place changes otherwise than by moving on, or reaches
    /// `goal`; infinite where neither is to be expected.
    func wait(from time: Double, until goal: Double?) -> Double {
        guard let present = stretches.lastIndex(where: { $0.begin <= time }) else {
            return stretches.first.map { $0.begin - time } ?? .infinity
        }
        let (stretch, next) = (stretches[present], present + 1)
        let jump = next < stretches.count ? stretches[next].begin - time : .infinity
        guard let goal, stretch.speed > 0 else { return jump }
        return min(jump, max(0, (goal - stretch.place(at: time)) / stretch.speed))
    }
}
