/// Which frames of the songs lie in the ring.
///
/// Two counts never go back: the frames of songs that were ever handed to the stages (a place), and
/// those that were ever put into the ring (an index). From one to the other leads a row of lines;
/// from places to the numbers of frames in their songs leads a row of jumps. For one thread.
struct FrameNumbers {
    /// From the ring's `index` on, which is at `place`, each frame is `step` places later.
    private struct Line {
        let index: Int
        let place: Double
        let step: Double

        func place(at index: Int) -> Double { place + Double(index - self.index) * step }
    }

    /// The frame at `place` is the song's `frame`.
    private struct Jump {
        let place: Int
        let frame: Int64
    }

    private var lines = [Line(index: 0, place: 0, step: 1)]
    private var jumps: [Jump] = []

    /// The ring's frames from `index` on begin at `place`, and go on by `step`.
    mutating func draw(from index: Int, at place: Double, step: Double) {
        if let last = lines.last, last.step == step, abs(last.place(at: index) - place) < 1e-6 {
            return
        }
        lines.removeAll { $0.index >= index }
        lines.append(Line(index: index, place: place, step: step))
    }

    /// The frames from `place` on are the song's from `frame` on.
    mutating func number(from place: Int, as frame: Int64) {
        if let last = jumps.last, last.frame + Int64(place - last.place) == frame { return }
        jumps.removeAll { $0.place >= place }
        jumps.append(Jump(place: place, frame: frame))
    }

    /// What lies before the ring's `index` is heard, and forgotten.
    mutating func forget(before index: Int) {
        while lines.count > 1, lines[1].index <= index { lines.removeFirst() }
        let place = place(at: index)
        while jumps.count > 1, jumps[1].place <= place { jumps.removeFirst() }
    }

    /// The place of the ring's frame `index`, or the last before it.
    func place(at index: Int) -> Int {
        let line = lines.last { $0.index <= index } ?? lines[0]
        return Int(line.place(at: index).rounded(.down))
    }

    /// The number in its song of the frame at `place`, or of the last before it.
    func frame(at place: Double) -> Int64 {
        guard let jump = jumps.last(where: { Double($0.place) <= place }) ?? jumps.first else {
            return 0
        }
        return jump.frame + Int64((place - Double(jump.place)).rounded(.down))
    }

    /// The next place after `place` at which the numbers jump; nil where none does.
    func nextJump(after place: Double) -> Int? { jumps.first { Double($0.place) > place }?.place }
}
