import CZlib
import TestSupport
import Testing

@testable import AudioMedia
@testable import DuetApp

/// A karaoke song's picture in the cells of a terminal, and as bytes that a terminal draws by itself.
@Suite struct PictureTests {
    private typealias Colour = Picture.Colour
    private static let (black, white, red) = (
        Colour(red: 0, green: 0, blue: 0), Colour(red: 255, green: 255, blue: 255),
        Colour(red: 255, green: 0, blue: 0)
    )
    /// Four pixels by four: black, but for the white top left quarter and a red pixel below right.
    private static let small = Picture(
        width: 4, height: 4, pixels: [1, 1, 0, 0, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2],
        palette: [black, white, red])

    private func cells(
        _ colours: TerminalLook.Colours, isASCII: Bool = false, columns: Int, rows: Int
    ) -> Cells {
        var cells = Cells(
            columns: columns, rows: rows, look: TerminalLook(colours: colours, isASCII: isASCII))
        cells.draw(Self.small, rows: 0..<rows, columns: 0..<columns)
        return cells
    }

    private func bytes(_ cells: Cells) -> String {
        String(decoding: CellDiff(from: nil, to: cells).bytes.dropFirst(13), as: UTF8.self)
    }

    @Test func scalingTakesTheMean() {
        let quarter = Colour(red: 63, green: 0, blue: 0)
        #expect(
            Self.small.scaled(width: 2, height: 2) == [Self.white, Self.black, Self.black, quarter])
        #expect(
            Self.small.scaled(width: 4, height: 4)
                == Self.small.pixels.map { Self.small.palette[Int($0)] })
        let large = Self.small.scaled(width: 8, height: 16)
        #expect(large.count == 128 && large[0] == Self.white && large[127] == Self.red)
    }

    @Test func fourPixelsAreTwoColours() {
        func nearest(_ pixels: [Colour]) -> (Unicode.Scalar, CellPaint) {
            CellPaint.nearest(to: (pixels[0], pixels[1], pixels[2], pixels[3]))
        }
        let shapes: [(String, [Int])] = [
            ("▘", [1, 0, 0, 0]), ("▝", [0, 1, 0, 0]), ("▀", [1, 1, 0, 0]), ("▖", [0, 0, 1, 0]),
            ("▌", [1, 0, 1, 0]), ("▞", [0, 1, 1, 0]), ("▛", [1, 1, 1, 0]),
        ]
        for (text, pixels) in shapes {
            for (ink, ground) in [(Self.white, Self.black), (Self.black, Self.red)] {
                let (scalar, paint) = nearest(pixels.map { $0 == 1 ? ink : ground })
                #expect(String(scalar) == text && paint == CellPaint(ink: ink, ground: ground))
            }
        }
        let (scalar, paint) = nearest([Self.red, Self.red, Self.red, Self.red])
        #expect(scalar == " " && paint.ground == Self.red)
        // Of three colours the two that are nearest to each other become one.
        let dark = Colour(red: 20, green: 0, blue: 0)
        let three = nearest([Self.white, Self.black, dark, dark])
        #expect(three.0 == "▘" && three.1.ink == Self.white)
        #expect(three.1.ground == Colour(red: 13, green: 0, blue: 0))
    }

    @Test func cellsByWhatTheTerminalShows() {
        let all = cells(.all, columns: 2, rows: 2)
        #expect(all.text(row: 0).isEmpty)
        #expect(
            bytes(all)
                == "\u{1B}[0;38;2;255;255;255;48;2;255;255;255m \u{1B}[0;38;2;0;0;0;48;2;0;0;0m "
                + "\u{1B}[2;1H \u{1B}[0;38;2;0;0;0;48;2;255;0;0m▛\u{1B}[0m")
        #expect(
            bytes(cells(.many, columns: 2, rows: 1))
                == "\u{1B}[0;38;5;231;48;5;16m▀\u{1B}[0;38;5;16;48;5;88m▛\u{1B}[0m")
        #expect(
            bytes(cells(.sixteen, columns: 2, rows: 1))
                == "\u{1B}[0;97;40m▀\u{1B}[0;30;40m▀\u{1B}[0m")
        #expect(bytes(cells(.none, columns: 4, rows: 2)) == "██\u{1B}[2;4H▄")
        #expect(bytes(cells(.none, isASCII: true, columns: 4, rows: 2)) == "##\u{1B}[2;4H#")
        #expect(
            bytes(cells(.sixteen, isASCII: true, columns: 1, rows: 1)).allSatisfy { $0.isASCII })
    }

    @Test func onlyWhatDiffersIsWritten() {
        let old = cells(.all, columns: 2, rows: 2)
        var new = old
        #expect(CellDiff(from: old, to: new).bytes.isEmpty)
        new.put("▀", CellPaint(ink: Self.red, ground: Self.white), row: 1, column: 0)
        #expect(
            String(decoding: CellDiff(from: old, to: new).bytes, as: UTF8.self)
                == "\u{1B}[2;1H\u{1B}[0;38;2;255;0;0;48;2;255;255;255m▀\u{1B}[0m")
        // Text over it has no colours of it.
        new.put("x", row: 0, column: 0)
        #expect(
            String(decoding: CellDiff(from: old, to: new).bytes, as: UTF8.self)
                .hasPrefix("\u{1B}[1;1Hx"))
    }

    /// As large as there is room for; at most 1.4 times as wide or as high as it is.
    @Test func sizes() {
        let picture = Picture(width: 288, height: 192, pixels: [], palette: [])
        func size(_ columns: Int, _ rows: Int, _ stretch: Double) -> [Int] {
            let size = picture.size(columns: columns, rows: rows, aspect: 2, stretch: stretch)
            return [size.columns, size.rows]
        }
        #expect(size(80, 20, 1.4) == [80, 20] && size(200, 20, 1.4) == [84, 20])
        #expect(size(40, 20, 1.4) == [40, 18] && size(200, 20, 1) == [60, 20])
        #expect(size(30, 20, 1) == [30, 10] && size(1, 1, 1) == [1, 1])
    }

    /// Without its border, where that has one colour.
    @Test func theBorderIsLeftOut() throws {
        var file = KaraokeFile()
        file.clear(1)
        file.border(3)
        file.tile(row: 0, column: 4, 5, 5, [UInt8](repeating: 0, count: 12))
        var graphics = try #require(CDGraphics(file.bytes))
        graphics.advance(to: 2.5 / 300)
        let plain = Picture(graphics)
        #expect([plain.width, plain.height] == [288, 192] && plain.pixels.allSatisfy { $0 == 1 })
        graphics.advance(to: 1)
        let whole = Picture(graphics)
        #expect([whole.width, whole.height] == [294, 204] && whole.pixels == graphics.visible)
    }

    // MARK: The terminal's own pictures

    private func demo() throws -> Picture {
        var graphics = try #require(CDGraphics(KaraokeFile.demo.bytes))
        graphics.advance(to: 0.3)
        return Picture(graphics)
    }

    private func image(_ graphics: TerminalGraphics) throws -> CellImage {
        CellImage(picture: try demo(), graphics: graphics, rows: 2..<22, columns: 10..<70)
    }

    @Test func kittyGetsThePixels() throws {
        let text = String(
            decoding: ImageBytes.draw(try image(.kitty(aspect: 2))), as: UTF8.self)
        let parts = text.components(between: "\u{1B}_G", and: "\u{1B}\\")
        #expect(text.hasPrefix("\u{1B}[3;11H\u{1B}_G"))
        let head = parts[0].prefix { $0 != ";" }
        #expect(
            head.hasPrefix("a=T,f=24,o=z,s=288,v=192,i=31,p=1,c=60,r=20,C=1,q=2,m="))
        #expect(parts.dropLast().allSatisfy { $0.contains("m=1;") })
        #expect(parts.last?.contains("m=0;") == true)
        let data = parts.map { $0.drop { $0 != ";" }.dropFirst() }
        #expect(data.allSatisfy { $0.utf8.count <= 4096 })
        let packed = Self.decoded(data.joined())
        var (pixels, size) = ([UInt8](repeating: 0, count: 3 * 288 * 192), UInt(3 * 288 * 192))
        #expect(uncompress(&pixels, &size, packed, UInt(packed.count)) == Z_OK)
        let picture = try demo()
        let expected = picture.pixels.flatMap { pixel in
            let colour = picture.palette[Int(pixel)]
            return [colour.red, colour.green, colour.blue]
        }
        #expect(pixels == expected)
    }

    /// RFC 4648, section 10.
    @Test func base64() {
        let cases = ["": "", "f": "Zg==", "fo": "Zm8=", "foo": "Zm9v", "foobar": "Zm9vYmFy"]
        for (text, encoded) in cases {
            #expect(ImageBytes.base64(Array(text.utf8)) == Array(encoded.utf8))
        }
    }

    private static func decoded(_ text: String) -> [UInt8] {
        let letters = Array(
            "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
        var (word, bits, bytes) = (0, 0, [UInt8]())
        for letter in text.utf8 {
            guard let value = letters.firstIndex(of: letter) else { break }
            (word, bits) = (word << 6 | value, bits + 6)
            if bits >= 8 {
                bits -= 8
                bytes.append(UInt8(word >> bits & 255))
            }
        }
        return bytes
    }

    /// A decoder of our own gets each pixel back, at any size.
    @Test(arguments: [(288, 192), (600, 400), (101, 47), (1, 1)])
    func sixelsAreThePixels(width: Int, height: Int) throws {
        let picture = try demo()
        let bytes = ImageBytes.sixel(picture, width: width, height: height)
        let decoded = try #require(Self.sixels(bytes, width: width, height: height))
        for y in 0..<height {
            for x in 0..<width {
                let pixel = picture.pixels[
                    y * picture.height / height * picture.width + x * picture.width / width]
                guard decoded[y * width + x] != pixel else { continue }
                Issue.record("\(x), \(y): \(decoded[y * width + x]) is not \(pixel)")
                return
            }
        }
        let text = String(decoding: bytes, as: UTF8.self)
        #expect(text.hasPrefix("\u{1B}P0;1;0q\"1;1;\(width);\(height)#0;2;0;0;40#1;2;100;100;100"))
    }

    private static func sixels(_ bytes: [UInt8], width: Int, height: Int) -> [UInt8]? {
        var pixels = [UInt8](repeating: 255, count: width * height)
        var (x, top, colour, count) = (0, 0, UInt8(0), 1)
        var rest = bytes.drop { $0 != UInt8(ascii: "q") }.dropFirst().dropLast(2)
        func numbers() -> [Int] {
            let text = rest.prefix { (0x30...0x3B).contains($0) }
            rest = rest.dropFirst(text.count)
            return text.split(separator: 0x3B).compactMap {
                Int(String(decoding: $0, as: UTF8.self))
            }
        }
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "\""): _ = numbers()
            case UInt8(ascii: "#"): colour = UInt8(numbers()[0])
            case UInt8(ascii: "!"): count = numbers()[0]
            case UInt8(ascii: "$"): x = 0
            case UInt8(ascii: "-"): (x, top) = (0, top + 6)
            case 0x3F...0x7E:
                for _ in 0..<count {
                    for bit in 0..<6 where (byte - 0x3F) >> UInt8(bit) & 1 == 1 {
                        guard x < width, top + bit < height else { return nil }
                        pixels[(top + bit) * width + x] = colour
                    }
                    x += 1
                }
                count = 1
            default: return nil
            }
        }
        return pixels
    }
}

extension String {
    /// The parts between two marks.
    fileprivate func components(between start: String, and end: String) -> [Substring] {
        var parts: [Substring] = []
        var rest = self[...]
        while let first = rest.firstRange(of: start),
            let last = rest[first.upperBound...].firstRange(of: end)
        {
            parts.append(rest[first.upperBound..<last.lowerBound])
            rest = rest[last.upperBound...]
        }
        return parts
    }
}
