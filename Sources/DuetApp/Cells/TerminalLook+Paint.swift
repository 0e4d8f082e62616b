// How the parts of a picture look.
extension TerminalLook {
    /// The bytes from which on characters have these colours.
    func bytes(of paint: CellPaint) -> [UInt8] {
        let text =
            switch colours {
            case .none: "0"
            case .sixteen: "0;\(Self.ansi(paint.ink, 30));\(Self.ansi(paint.ground, 40))"
            case .many: "0;38;5;\(Self.cube(paint.ink));48;5;\(Self.cube(paint.ground))"
            case .all: "0;38;2;\(Self.channels(paint.ink));48;2;\(Self.channels(paint.ground))"
            }
        return Array("\u{1B}[\(text)m".utf8)
    }

    private static func channels(_ colour: Picture.Colour) -> String {
        "\(colour.red);\(colour.green);\(colour.blue)"
    }

    /// Of xterm's cube of six steps a channel.
    private static func cube(_ colour: Picture.Colour) -> Int {
        16 + 36 * step(Int(colour.red)) + 6 * step(Int(colour.green)) + step(Int(colour.blue))
    }

    /// The nearest of the 16 colours that xterm has; `base` is 30 for what is drawn, 40 for what is
    /// behind it.
    private static func ansi(_ colour: Picture.Colour, _ base: Int) -> Int {
        let distances = sixteen.map { $0.distance(to: colour) }
        let nearest = distances.indices.min { distances[$0] < distances[$1] } ?? 0
        return nearest < 8 ? base + nearest : base + 60 + nearest - 8
    }

    private static let sixteen = [
        (0, 0, 0), (205, 0, 0), (0, 205, 0), (205, 205, 0), (0, 0, 238), (205, 0, 205),
        (0, 205, 205), (229, 229, 229), (127, 127, 127), (255, 0, 0), (0, 255, 0), (255, 255, 0),
        (92, 92, 255), (255, 0, 255), (0, 255, 255), (255, 255, 255),
    ].map { Picture.Colour(red: $0, green: $1, blue: $2) }
}
