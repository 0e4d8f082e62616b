/// The colours of a cell that is a part of a picture: those of the character, and of what is behind it.
struct CellPaint: Sendable, Equatable {
    var ink: Picture.Colour
    var ground: Picture.Colour

    /// The characters that fill quarters of a cell, by which: 1 top left, 2 top right, 4 and 8 below.
    private static let quarters = Array(" ▘▝▀▖▌▞▛▗▚▐▜▄▙▟█".unicodeScalars)

    /// The character and the two colours that come nearest to four pixels: top left, top right, and below.
    static func nearest(
        to pixels: (Picture.Colour, Picture.Colour, Picture.Colour, Picture.Colour)
    ) -> (character: Unicode.Scalar, paint: CellPaint) {
        let pixels = [pixels.0, pixels.1, pixels.2, pixels.3]
        if pixels.allSatisfy({ $0 == pixels[0] }) {
            return (" ", CellPaint(ink: pixels[0], ground: pixels[0]))
        }
        var best = (error: Int.max, mask: 0, paint: CellPaint(ink: pixels[0], ground: pixels[0]))
        // The last pixel is always of the ground: the other masks only exchange the colours.
        for mask in 1..<8 {
            let ink = Picture.Colour(
                meanOf: (0..<4).filter { mask >> $0 & 1 == 1 }.map { pixels[$0] })
            let ground = Picture.Colour(
                meanOf: (0..<4).filter { mask >> $0 & 1 == 0 }.map { pixels[$0] })
            let error = (0..<4).reduce(0) {
                $0 + pixels[$1].distance(to: mask >> $1 & 1 == 1 ? ink : ground)
            }
            if error < best.error { best = (error, mask, CellPaint(ink: ink, ground: ground)) }
        }
        return (quarters[best.mask], best.paint)
    }
}

extension Picture.Colour {
    /// The mean of some colours, at least one.
    init(meanOf colours: [Picture.Colour]) {
        func mean(_ channel: KeyPath<Picture.Colour, UInt8>) -> UInt8 {
            UInt8(colours.reduce(0) { $0 + Int($1[keyPath: channel]) } / colours.count)
        }
        self.init(red: mean(\.red), green: mean(\.green), blue: mean(\.blue))
    }

    /// The square of how far another colour is.
    func distance(to other: Picture.Colour) -> Int {
        let red = Int(red) - Int(other.red)
        let green = Int(green) - Int(other.green)
        let blue = Int(blue) - Int(other.blue)
        return red * red + green * green + blue * blue
    }
}

extension Cells {
    /// Draws a picture into some cells: four pixels a cell, in the two colours that a cell can have; where
    /// the terminal has 16 colours, and may have few characters, two pixels, one above the other. Without
    /// colours what differs from the background is white.
    mutating func draw(_ picture: Picture, rows: Range<Int>, columns: Range<Int>) {
        let across = look.colours.rawValue >= TerminalLook.Colours.many.rawValue ? 2 : 1
        let width = across * columns.count
        let pixels = picture.scaled(width: width, height: 2 * rows.count)
        let background = picture.background.brightness
        for (line, row) in rows.enumerated() {
            for (place, column) in columns.enumerated() {
                let top = 2 * line * width + across * place
                let (above, below) = (pixels[top], pixels[top + width])
                let (nextAbove, nextBelow) = (
                    pixels[top + across - 1], pixels[top + width + across - 1]
                )
                if look.colours == .none {
                    let isLit = [above, below].map { abs($0.brightness - background) > 48 }
                    put(shape(isLit[0], isLit[1]), row: row, column: column)
                } else if look.isASCII {
                    let mean = Picture.Colour(meanOf: [above, nextAbove, below, nextBelow])
                    put(" ", CellPaint(ink: mean, ground: mean), row: row, column: column)
                } else if across == 1 {
                    put("▀", CellPaint(ink: above, ground: below), row: row, column: column)
                } else {
                    let (character, paint) = CellPaint.nearest(
                        to: (above, nextAbove, below, nextBelow))
                    put(character, paint, row: row, column: column)
                }
            }
        }
    }

    /// The character of two pixels, one above the other.
    private func shape(_ isAboveLit: Bool, _ isBelowLit: Bool) -> Unicode.Scalar {
        guard isAboveLit || isBelowLit else { return " " }
        guard !look.isASCII else { return "#" }
        return isAboveLit ? (isBelowLit ? "█" : "▀") : "▄"
    }
}
