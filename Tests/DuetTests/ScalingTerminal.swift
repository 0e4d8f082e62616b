@testable import DuetApp

/// A terminal that scales text as Kitty documents it (OSC 66), as much of it as `CellDiff` uses: a character of
/// which any cell is written on is gone whole.
struct ScalingTerminal {
    /// What a place shows: the characters, and where in the grid and how large they are.
    struct Place: Equatable {
        var text: String
        var head: Int
        var width: Int
        var height: Int
    }

    let columns: Int
    let rows: Int
    private(set) var places: [Place?]
    private var cursor = 0

    init(columns: Int, rows: Int) {
        (self.columns, self.rows) = (columns, rows)
        places = Array(repeating: nil, count: columns * rows)
    }

    mutating func obey(_ bytes: [UInt8]) {
        var rest = String(decoding: bytes, as: UTF8.self)[...]
        while !rest.isEmpty {
            if rest.hasPrefix("\u{1B}]66;"), let end = rest.range(of: "\u{1B}\\") {
                let parts = rest[..<end.lowerBound].dropFirst(5).split(separator: ";", maxSplits: 1)
                let keys = parts[0].split(separator: ":").map { $0.dropFirst(2) }
                let scale = Int(keys[0]) ?? 1
                let text = String(parts[1])
                let width = keys.count > 1 ? Int(keys[1]) ?? 1 : CellWidth.of(text)
                show(text, width: width * scale, height: scale)
                rest = rest[end.upperBound...]
            } else if rest.hasPrefix("\u{1B}[") {
                let body = rest.dropFirst(2)
                guard let final = body.firstIndex(where: \.isLetter) else { return }
                let numbers = body[..<final].split(separator: ";").compactMap { Int($0) }
                if body[final] == "H" { cursor = (numbers[0] - 1) * columns + numbers[1] - 1 }
                if body[final] == "J" { places = places.map { _ in nil } }
                rest = body[body.index(after: final)...]
            } else {
                let text = String(rest.removeFirst())
                show(text, width: CellWidth.of(text), height: 1)
            }
        }
    }

    private mutating func show(_ text: String, width: Int, height: Int) {
        guard width > 0 else { return }
        let blank = text == " " && height == 1
        let covered = (0..<height).flatMap { down in
            (0..<width).map { cursor + down * columns + $0 }
        }
        for place in covered where places.indices.contains(place) { erase(place) }
        for place in covered where places.indices.contains(place) && !blank {
            places[place] = Place(text: text, head: cursor, width: width, height: height)
        }
        cursor += width
    }

    private mutating func erase(_ index: Int) {
        guard let place = places[index] else { return }
        for down in 0..<place.height {
            for across in 0..<place.width {
                let other = place.head + down * columns + across
                if places.indices.contains(other), places[other]?.head == place.head {
                    places[other] = nil
                }
            }
        }
    }
}

extension Substring {
    /// Where a text stands in it first.
    fileprivate func range(of text: String) -> Range<Index>? { ranges(of: text).first }
}
