/// How a terminal draws pictures by itself.
enum TerminalGraphics: Sendable, Equatable {
    /// Kitty's graphics protocol. A picture is scaled to the cells it has; `aspect`: how many times as high
    /// as wide a cell is.
    case kitty(aspect: Double)
    /// DEC's sixels; a cell has so many pixels.
    case sixel(cell: PixelSize)

    /// How many times as high as wide a cell is.
    var aspect: Double {
        switch self {
        case .kitty(let aspect): aspect
        case .sixel(let cell): Double(cell.height) / Double(cell.width)
        }
    }
}

/// A size in pixels, at least 1 each way.
struct PixelSize: Sendable, Equatable {
    var width: Int
    var height: Int
}

/// What a terminal answers that was asked what it draws.
enum TerminalAnswer: Sendable, Equatable {
    /// It has Kitty's graphics.
    case kitty
    /// The answer that every terminal gives, the last.
    case attributes(hasSixel: Bool)

    /// What asks: for Kitty's graphics, which others pass over, then for what it is (DA1), where 4 stands
    /// for sixels.
    /// tmux and screen take the first for a title: they are asked for the second alone.
    static func question(inMultiplexer: Bool) -> [UInt8] {
        let kitty = "\u{1B}_Gi=31,s=1,v=1,a=q,t=d,f=24;AAAA\u{1B}\\"
        return Array(((inMultiplexer ? "" : kitty) + "\u{1B}[c").utf8)
    }

    /// The answer of an APC string without its ends, such as `Gi=31;OK`; nil where it is another.
    init?(string: some Collection<UInt8>) {
        guard string.starts(with: "Gi=31".utf8), string.suffix(3).elementsEqual(";OK".utf8) else {
            return nil
        }
        self = .kitty
    }

    /// The answer of a sequence ESC `[` … `c` with these parameters, such as `?62;4;22`; nil where it is
    /// another.
    init?(parameters: [UInt8]) {
        guard parameters.first == UInt8(ascii: "?") else { return nil }
        // The first number is the terminal's class.
        let numbers = parameters.dropFirst().split(separator: UInt8(ascii: ";")).dropFirst()
        self = .attributes(hasSixel: numbers.contains { $0.elementsEqual("4".utf8) })
    }
}
