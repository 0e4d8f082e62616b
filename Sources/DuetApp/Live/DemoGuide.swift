/// Shows what `DemoTour` has while the demo's song plays.
final class DemoGuide: LivePart {
    private let mix: LiveMix
    private let control: LiveControl
    private let display: LiveDisplay
    private var tour = DemoTour()

    init(mix: LiveMix, control: LiveControl, display: LiveDisplay) {
        (self.mix, self.control, self.display) = (mix, control, display)
    }

    /// Does what is due. What the run shows of the song's place wakes it often enough.
    func update() {
        guard let position = mix.songs.shown.position, let duration = position.duration,
            let action = tour.action(at: position.seconds, of: duration, mix.plan)
        else { return }
        // None waits for a disk; one that is refused is none to show.
        let answer = try? control.obey(action) { _ in }
        display.note(answer?.note)
        display.hurry()
    }
}
