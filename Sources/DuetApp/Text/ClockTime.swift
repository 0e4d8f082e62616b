import AudioGraph

/// A length of time as users write it: `90`, `1:30`, `0:01:30`, each with an optional fraction.
struct ClockTime: Sendable, Hashable, LosslessStringConvertible {
    /// Seconds, 0…a year (`SongTime.longest`).
    let seconds: Double

    /// A time of `seconds`; less than 0 and NaN count as 0, more than a year as a year.
    init(seconds: Double) {
        self.seconds = seconds > 0 ? min(seconds, SongTime.longest) : 0
    }

    /// Reads `S`, `M:S` or `H:M:S`. After a colon there are two digits, below 60; only the
    /// seconds may have a fraction. Nil for anything else, and for more than a year.
    init?(_ text: String) {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard let last = parts.last, parts.count <= 3 else { return nil }
        var total = 0.0
        for (index, part) in parts.dropLast().enumerated() {
            guard let value = Self.whole(part, isFirst: index == 0) else { return nil }
            total = (total + Double(value)) * 60
        }
        let fields = last.split(separator: ".", omittingEmptySubsequences: false)
        guard fields.count <= 2, let whole = Self.whole(fields[0], isFirst: parts.count == 1),
            fields.dropFirst().allSatisfy({ !$0.isEmpty && $0.allSatisfy(\.isASCIIDigit) }),
            let fraction = Double(fields.count == 2 ? "0.\(fields[1])" : "0")
        else { return nil }
        seconds = total + Double(whole) + fraction
        guard seconds <= SongTime.longest else { return nil }
    }

    /// A whole number of at most nine digits; after the first, numbers are two digits below 60.
    private static func whole(_ text: Substring, isFirst: Bool) -> Int? {
        guard (1...9).contains(text.count), text.allSatisfy(\.isASCIIDigit), let value = Int(text)
        else { return nil }
        return isFirst || (text.count == 2 && value < 60) ? value : nil
    }

    /// As `1:30` or `1:01:30`; a fraction of a second is cut off.
    var description: String {
        let total = Int(seconds)
        let minutes = total / 60 % 60
        let tail = Self.twoDigits(total % 60)
        return total >= 3600
            ? "\(total / 3600):\(Self.twoDigits(minutes)):\(tail)" : "\(minutes):\(tail)"
    }

    private static func twoDigits(_ value: Int) -> String { value < 10 ? "0\(value)" : "\(value)" }
}

extension Character {
    fileprivate var isASCIIDigit: Bool { ("0"..."9").contains(self) }
}
