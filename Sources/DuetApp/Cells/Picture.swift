import AudioMedia

/// A picture of few colours, such as a karaoke song's: each pixel is the number of its colour.
struct Picture: Sendable, Equatable {
    typealias Colour = CDGraphics.Colour

    let width: Int
    let height: Int
    /// Row after row; each is an index of `palette`.
    let pixels: [UInt8]
    let palette: [Colour]

    init(width: Int, height: Int, pixels: [UInt8], palette: [Colour]) {
        (self.width, self.height) = (width, height)
        (self.pixels, self.palette) = (pixels, palette)
    }

    /// What is seen of a karaoke song; without its border, so that letters are larger, where that has one
    /// colour.
    init(_ graphics: CDGraphics) {
        let (width, height) = (CDGraphics.visibleWidth, CDGraphics.visibleHeight)
        let (pixels, palette) = (graphics.visible, graphics.palette)
        let (columns, rows) = (3..<(width - 3), 6..<(height - 6))
        let hasPlainBorder = pixels.indices.allSatisfy {
            rows.contains($0 / width) && columns.contains($0 % width) || pixels[$0] == pixels[0]
        }
        guard hasPlainBorder else {
            self.init(width: width, height: height, pixels: pixels, palette: palette)
            return
        }
        self.init(
            width: columns.count, height: rows.count,
            pixels: rows.flatMap { pixels[($0 * width + 3)..<($0 * width + width - 3)] },
            palette: palette)
    }

    /// The colour that most pixels have.
    var background: Colour {
        var counts = [Int](repeating: 0, count: palette.count)
        for pixel in pixels { counts[Int(pixel)] += 1 }
        return palette[counts.indices.max { counts[$0] < counts[$1] } ?? 0]
    }

    /// How many columns and rows of a terminal the picture takes of those that there are: in its own shape,
    /// or up to `stretch` times as wide or as high, so that letters have as many cells as possible.
    ///
    /// - Parameter aspect: how many times as high as wide a cell is.
    func size(
        columns: Int, rows: Int, aspect: Double, stretch: Double
    ) -> (columns: Int, rows: Int) {
        let ideal = Double(rows) * aspect * Double(width) / Double(height)
        let wide = min(Double(columns), ideal * stretch)
        let high = min(Double(rows), Double(rows) * wide / ideal * stretch)
        return (max(1, Int(wide)), max(1, Int(high)))
    }

    /// The picture in so many pixels: each is the mean of those that it stands for.
    func scaled(width newWidth: Int, height newHeight: Int) -> [Colour] {
        let columns = (0..<newWidth).map { Self.part($0, of: newWidth, in: width) }
        var scaled: [Colour] = []
        scaled.reserveCapacity(newWidth * newHeight)
        for row in 0..<newHeight {
            let rows = Self.part(row, of: newHeight, in: height)
            for columns in columns {
                var (red, green, blue) = (0, 0, 0)
                for y in rows {
                    for x in columns {
                        let colour = palette[Int(pixels[y * width + x])]
                        red += Int(colour.red)
                        green += Int(colour.green)
                        blue += Int(colour.blue)
                    }
                }
                let count = rows.count * columns.count
                scaled.append(
                    Colour(
                        red: UInt8(red / count), green: UInt8(green / count),
                        blue: UInt8(blue / count)))
            }
        }
        return scaled
    }

    /// Which of `size` pixels the pixel `index` of `count` stands for: at least one.
    private static func part(_ index: Int, of count: Int, in size: Int) -> Range<Int> {
        let start = index * size / count
        return start..<max(start + 1, (index + 1) * size / count)
    }
}

extension CDGraphics.Colour {
    /// How bright it looks, 0…255 (ITU-R BT.601).
    var brightness: Int { (299 * Int(red) + 587 * Int(green) + 114 * Int(blue)) / 1000 }
}

/// A picture that the terminal draws by itself over blank cells.
struct CellImage: Sendable, Equatable {
    let picture: Picture
    let graphics: TerminalGraphics
    let rows: Range<Int>
    let columns: Range<Int>

    /// Whether this one covers the cells of another.
    func covers(_ other: CellImage) -> Bool {
        rows == other.rows && columns == other.columns && graphics == other.graphics
    }
}
