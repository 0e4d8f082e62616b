@testable import AudioMedia

/// Any bytes as a karaoke song's picture.
///
/// The rules: pixels name one of 16 colours; a call carries out a bounded part of the way and arrives in
/// the end; and a place looks the same however it is come to.
enum GraphicsAttack {
    /// The first three bytes of the input are places, in 255ths of the file, to which is gone in turn.
    static func run(_ input: [UInt8]) throws {
        guard input.count > 3, var graphics = CDGraphics(Array(input.dropFirst(3))) else { return }
        var direct = graphics
        for place in input.prefix(3) {
            let seconds = graphics.duration * Double(place) / 255
            try advance(&graphics, to: seconds)
        }
        try advance(&direct, to: graphics.duration * Double(input[2]) / 255)
        try BrokenRule.check(
            direct.pixels == graphics.pixels && direct.palette == graphics.palette
                && direct.visible == graphics.visible, "another picture at the same place")
        for seconds in [-1, .infinity, .nan] { try advance(&graphics, to: seconds) }
    }

    private static func advance(_ graphics: inout CDGraphics, to seconds: Double) throws {
        // As many packets as draw on the whole canvas fit into a call.
        let least = CDGraphics.mostPixels / (CDGraphics.width * CDGraphics.height)
        let calls = (graphics.duration * 300 / Double(least)).rounded(.up) + 1
        var count = 0.0
        while !graphics.advance(to: seconds) {
            count += 1
            try BrokenRule.check(count < calls, "it never arrives at \(seconds)")
        }
        try BrokenRule.check(
            graphics.pixels.count == CDGraphics.width * CDGraphics.height
                && graphics.palette.count == 16 && graphics.pixels.allSatisfy { $0 < 16 }
                && graphics.visible.count == CDGraphics.visibleWidth * CDGraphics.visibleHeight,
            "no picture")
    }
}
