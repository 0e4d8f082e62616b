import AudioGraph

/// The actions of the mouse, by the part of the screen that it points at.
struct Pointer {
    /// The longest time between the two presses of a double click, in seconds.
    private static let doubleClick = 0.4

    /// Songs that a notch of the wheel goes on.
    private static let wheelSongs = 3

    /// The last press, and its time in seconds of the clock.
    private var lastPress: (kind: ScreenTarget.Kind, time: Double)?

    /// - Parameter now: in seconds of the clock.
    /// - Returns: the line of an action; nil if the mouse asks for nothing.
    mutating func line(for mouse: Mouse, on target: ScreenTarget?, now: Double) -> String? {
        switch (target?.kind, mouse.gesture) {
        case (.bar(let duration), .press):
            guard let target else { return nil }
            let part =
                Double(mouse.column - target.columns.lowerBound) / Double(target.columns.count)
            return "set /transport/position \(fixed(duration * part, digits: 2))"
        case (.strip(let strip), .press):
            return isSecondPress(on: .strip(strip), now: now)
                ? "set /\(strip)/volume 0dB" : "set /strip \(strip)"
        case (.strip(let strip), .wheelUp), (.strip(let strip), .wheelDown):
            lastPress = nil
            return "adjust /\(strip)/volume \(mouse.gesture == .wheelUp ? 1 : -1)"
        case (.song(let number), .press):
            let name = isSecondPress(on: .song(number), now: now) ? "song" : "selected"
            return "set /list/\(name) \(number)"
        case (.song, .wheelUp), (.song, .wheelDown):
            lastPress = nil
            let step = mouse.gesture == .wheelUp ? -Self.wheelSongs : Self.wheelSongs
            return "adjust /list/selected \(step)"
        default: return nil
        }
    }

    /// Whether this is the second press of a double click; the third is the first of the next.
    private mutating func isSecondPress(on kind: ScreenTarget.Kind, now: Double) -> Bool {
        let isSecond =
            lastPress.map { $0.kind == kind && now - $0.time <= Self.doubleClick } ?? false
        lastPress = isSecond ? nil : (kind, now)
        return isSecond
    }
}
