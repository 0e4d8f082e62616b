import Foundation
import TestSupport
import Testing

@testable import AudioMedia

/// What the packets of a karaoke song's picture draw, to the pixel.
@Suite struct GraphicsTests {
    private typealias Colour = CDGraphics.Colour
    private static let (width, height) = (CDGraphics.width, CDGraphics.height)

    /// The picture after all packets that `make` adds.
    private func picture(_ make: (inout KaraokeFile) -> Void) throws -> CDGraphics {
        var file = KaraokeFile()
        make(&file)
        var graphics = try #require(CDGraphics(file.bytes))
        let isThere = graphics.advance(to: 1e9)
        #expect(isThere)
        return graphics
    }

    /// The canvas as a function of its places says.
    private func canvas(_ colour: (_ x: Int, _ y: Int) -> UInt8) -> [UInt8] {
        (0..<Self.height).flatMap { y in (0..<Self.width).map { x in colour(x, y) } }
    }

    private static func isBorder(_ x: Int, _ y: Int) -> Bool {
        !(6..<294).contains(x) || !(12..<204).contains(y)
    }

    @Test func clearingFillsAndItsRepeatsDoNothing() throws {
        let cleared = try picture { $0.clear(5) }
        #expect(cleared.pixels == canvas { _, _ in 5 })
        let drawn = try picture {
            $0.clear(5)
            $0.clear(7, number: 3)
        }
        #expect(drawn.pixels == canvas { _, _ in 5 } && drawn.changes == 1)
    }

    @Test func theBorderIsATileWide() throws {
        let drawn = try picture {
            $0.clear(5)
            $0.border(3)
        }
        #expect(drawn.pixels == canvas { Self.isBorder($0, $1) ? 3 : 5 })
    }

    private static let bits: [UInt8] = [
        0b100000, 0b010000, 0b001000, 0b000100, 0b000010, 0b000001, 63, 0, 0b101010, 1, 32, 63,
    ]

    /// What a tile has at a place of the canvas; nil: it is not there.
    private func bit(_ x: Int, _ y: Int, row: Int, column: Int) -> UInt8? {
        let (x, y) = (x - 6 * column, y - 12 * row)
        guard (0..<6).contains(x), (0..<12).contains(y) else { return nil }
        return Self.bits[y] >> UInt8(5 - x) & 1
    }

    @Test(arguments: [(0, 0), (17, 49), (4, 7)])
    func aTile(row: Int, column: Int) throws {
        let drawn = try picture {
            $0.clear(5)
            $0.tile(row: UInt8(row), column: UInt8(column), 2, 9, Self.bits)
        }
        #expect(
            drawn.pixels
                == canvas { x, y in bit(x, y, row: row, column: column).map { $0 == 1 ? 9 : 2 } ?? 5
                })
        let both = try picture {
            $0.clear(5)
            $0.tile(row: UInt8(row), column: UInt8(column), 2, 9, Self.bits, isXOR: true)
        }
        #expect(
            both.pixels
                == canvas { x, y in
                    bit(x, y, row: row, column: column).map { $0 == 1 ? 5 ^ 9 : 5 ^ 2 } ?? 5
                })
    }

    @Test func whatIsNotOnTheCanvasOrUnknownIsPassedOver() throws {
        let drawn = try picture { file in
            file.clear(5)
            for (row, column) in [(18, 0), (31, 63), (0, 50), (17, 63)] as [(UInt8, UInt8)] {
                file.tile(row: row, column: column, 1, 2, Self.bits)
                file.tile(row: row, column: column, 1, 2, Self.bits, isXOR: true)
            }
            for instruction in [0, 3, 7, 21, 25, 28, 29, 32, 63] as [UInt8] {
                file.packet(instruction, [1, 2, 3, 4])
            }
            file.packet(1, [7], command: 8)
        }
        #expect(drawn.pixels == canvas { _, _ in 5 } && drawn.changes == 1)
    }

    /// Other colours recolour what is there.
    @Test func coloursChangeThePictureAndNotItsPixels() throws {
        var file = KaraokeFile()
        file.clear(5)
        file.packet(30, [0b111100, 0b000000, 0b000011, 0b110000, 0, 0b001111])
        file.packet(31, [0b010010, 0b010011])
        var graphics = try #require(CDGraphics(file.bytes))
        graphics.advance(to: 1.5 / 300)
        let before = graphics
        graphics.advance(to: 1)
        #expect(graphics.pixels == before.pixels && graphics.changes > before.changes)
        #expect(before.palette == [Colour](repeating: Colour(red: 0, green: 0, blue: 0), count: 16))
        #expect(
            graphics.palette[..<4] == [
                Colour(red: 255, green: 0, blue: 0), Colour(red: 0, green: 255, blue: 0),
                Colour(red: 0, green: 0, blue: 255), Colour(red: 0, green: 0, blue: 0),
            ])
        #expect(graphics.palette[8] == Colour(red: 68, green: 153, blue: 51))
    }

    /// By a tile each way: what comes in is a colour, or what has left.
    @Test(arguments: [(1, 0), (2, 0), (0, 1), (0, 2), (1, 2), (2, 1), (3, 3)], [true, false])
    func scrolling(ways: (UInt8, UInt8), copies: Bool) throws {
        func draw(_ file: inout KaraokeFile) {
            file.clear(5)
            file.border(3)
            file.tile(row: 4, column: 7, 2, 9, Self.bits)
        }
        let before = try picture(draw).pixels
        let after = try picture {
            draw(&$0)
            $0.scroll(across: ways.0, down: ways.1, 8, copies: copies)
        }.pixels
        let (right, down) = ([0, 6, -6, 0][Int(ways.0)], [0, 12, -12, 0][Int(ways.1)])
        #expect(
            after
                == canvas { x, y in
                    let (from, line) = (x - right, y - down)
                    let isInside =
                        (0..<Self.width).contains(from) && (0..<Self.height).contains(line)
                    guard copies || isInside else { return 8 }
                    return before[
                        (line + Self.height) % Self.height * Self.width
                            + (from + Self.width) % Self.width]
                })
    }

    /// The view moves on the canvas, whose pixels stay; at its edges it goes on at the other side.
    @Test(arguments: [(0, 0), (3, 4), (5, 11), (7, 15)])
    func theViewMoves(x: UInt8, y: UInt8) throws {
        var file = KaraokeFile()
        file.clear(5)
        file.border(3)
        file.tile(row: 4, column: 7, 2, 9, Self.bits)
        file.scroll(view: (x, y), copies: true)
        var drawn = try #require(CDGraphics(file.bytes))
        drawn.advance(to: 3.5 / 300)
        let before = drawn
        drawn.advance(to: 1)
        #expect(drawn.pixels == before.pixels)
        #expect((drawn.changes > before.changes) == (x > 0))
        let (left, top) = (3 + Int(min(x, 5)), 6 + Int(min(y, 11)))
        let expected = (0..<204).flatMap { row in
            (0..<294).map { column in
                drawn.pixels[(top + row) % 216 * 300 + (left + column) % 300]
            }
        }
        #expect(drawn.visible == expected)
    }

    // MARK: Time

    @Test func packetsAreCarriedOutWhenTheyAreDue() throws {
        var file = KaraokeFile()
        for colour in 1...9 as ClosedRange<UInt8> { file.clear(colour) }
        var graphics = try #require(CDGraphics(file.bytes))
        #expect(graphics.duration == 9 / 300.0)
        for count in [0, 1, 5, 9, 3, 0, 9] as [UInt8] {
            let isThere = graphics.advance(to: (Double(count) + 0.5) / 300)
            #expect(isThere)
            #expect(graphics.pixels[0] == count)
        }
        #expect(graphics.advance(to: -.infinity) && graphics.pixels[0] == 0)
        #expect(graphics.advance(to: .infinity) && graphics.pixels[0] == 9)
        #expect(graphics.advance(to: .nan) && graphics.pixels[0] == 0)
    }

    /// Nothing new is no change.
    @Test func onlyChangesCount() throws {
        var graphics = try #require(CDGraphics(KaraokeFile.demo.bytes))
        graphics.advance(to: 20 / 300.0)
        let changes = graphics.changes
        graphics.advance(to: 40 / 300.0)
        #expect(graphics.changes == changes)
        graphics.advance(to: 1)
        #expect(graphics.changes > changes)
    }

    /// A place looks the same whether it is come to from the beginning, from before or from behind.
    @Test func replayEqualsSequence() throws {
        var random = SeededRandom(seed: 46)
        var file = KaraokeFile()
        for _ in 0..<300 {
            let instructions: [UInt8] = [1, 2, 6, 6, 6, 38, 38, 20, 24, 30, 31]
            let instruction = instructions.randomElement(using: &random)!
            file.packet(
                instruction, (0..<16).map { _ in UInt8.random(in: 0...63, using: &random) })
        }
        var moved = try #require(CDGraphics(file.bytes))
        for place in [0.5, 0.2, 0.97, 0.96, 0, 0.33, 0.7] {
            while !moved.advance(to: place) {}
            var direct = try #require(CDGraphics(file.bytes))
            for step in 0...4 { while !direct.advance(to: place * Double(step) / 4) {} }
            #expect(moved.pixels == direct.pixels && moved.visible == direct.visible)
            #expect(moved.palette == direct.palette)
        }
    }

    /// A call does a bounded part of a long way.
    @Test func aLongWayTakesSeveralCalls() throws {
        var file = KaraokeFile()
        file.clear(5)
        file.wait(2 * CDGraphics.mostPackets)
        file.clear(6)
        var graphics = try #require(CDGraphics(file.bytes))
        #expect(!graphics.advance(to: 1e9) && graphics.pixels[0] == 5)
        #expect(!graphics.advance(to: 1e9) && graphics.pixels[0] == 5)
        #expect(graphics.advance(to: 1e9) && graphics.pixels[0] == 6)
    }

    /// What draws on the whole canvas counts as much as it takes.
    @Test func manyPresetsTakeSeveralCalls() throws {
        var file = KaraokeFile()
        for number in 0..<1000 { file.clear(UInt8(1 + number % 2)) }
        var graphics = try #require(CDGraphics(file.bytes))
        var calls = 1
        while !graphics.advance(to: 1e9) { calls += 1 }
        #expect(calls > 20 && graphics.pixels[0] == 2)
    }

    @Test func whatIsNoPictureIsNone() {
        #expect(CDGraphics([]) == nil)
        #expect(CDGraphics([UInt8](repeating: 9, count: 23)) == nil)
        #expect(CDGraphics([UInt8](repeating: 7, count: 24_000)) == nil)
        #expect(CDGraphics([UInt8](repeating: 9, count: 47))?.duration == 1 / 300.0)
    }

    /// Every frame of FFmpeg's decoder has the same pixels.
    @Test func framesAreThoseOfFFmpeg() throws {
        let folder = try TemporaryFolder()
        let (file, frames) = (
            folder.url.appendingPathComponent("demo.cdg"),
            folder.url.appendingPathComponent("frames")
        )
        let bytes = KaraokeFile.demo.bytes
        try Data(bytes).write(to: file)
        try Tool.run([
            "ffmpeg", "-v", "error", "-f", "cdg", "-i", file.path, "-vsync", "passthrough",
            "-pix_fmt", "rgb24", "-f", "rawvideo", frames.path,
        ])
        let theirs = [UInt8](try Data(contentsOf: frames))
        let size = 3 * Self.width * Self.height
        // It makes a frame of each packet of CD+G.
        let drawn = (0..<(bytes.count / 24)).filter { bytes[24 * $0] & 63 == 9 }
        #expect(theirs.count == drawn.count * size)
        var graphics = try #require(CDGraphics(bytes))
        for (frame, packet) in drawn.enumerated() {
            graphics.advance(to: (Double(packet) + 1.5) / 300)
            let ours = graphics.pixels.flatMap { pixel in
                let colour = graphics.palette[Int(pixel)]
                return [colour.red, colour.green, colour.blue]
            }
            #expect(
                ours == Array(theirs[(frame * size)..<((frame + 1) * size)]), "packet \(packet)")
        }
    }
}
