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
