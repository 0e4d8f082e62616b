import AudioGraph

/// What the mouse asks for, by the part of the screen that it points at.
struct Pointer {
    /// The longest time between the two presses of a double click, in seconds.
    private static let doubleClick = 0.4

    /// The strip that was pressed last, and when, in seconds of the clock.
    private var lastPress: (strip: String, time: Double)?

    /// - Parameter now: in seconds of the clock.
    mutating func commands(
        for mouse: Mouse, on target: ScreenTarget?, now: Double
    ) -> [Command] {
        switch (target?.kind, mouse.action) {
        case (.bar(let duration), .press):
            guard let target else { return [] }
            let part =
                Double(mouse.column - target.columns.lowerBound) / Double(target.columns.count)
            return [Command(.set(fixed(duration * part, digits: 2)), "/transport/position")]
        case (.strip(let strip), .press):
            let isSecond =
                lastPress.map { $0.strip == strip && now - $0.time <= Self.doubleClick } ?? false
            lastPress = isSecond ? nil : (strip, now)
            return isSecond
                ? [Command(.set("default"), "/\(strip)/volume")]
                : [Command(.set(strip), "/strip")]
        case (.strip(let strip), .wheelUp), (.strip(let strip), .wheelDown):
            lastPress = nil
            return [Command(.adjust(mouse.action == .wheelUp ? 1 : -1), "/\(strip)/volume")]
        default: return []
        }
    }
}
