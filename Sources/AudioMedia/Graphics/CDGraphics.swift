/// The moving picture of a karaoke song (CD+G), as a file `.cdg` beside the song holds it: 300 packets
/// a second, 24 bytes each, which draw on a canvas of 300×216 pixels in 16 colours.
///
/// A value for one thread. Any bytes are taken: packets of other kinds are passed over, and tiles beyond
/// the canvas are not drawn. What the packets mean is in the Red Book (IEC 60908, subcode channels R to
/// W), and in “CD+G Revealed” by Jim Bumgardner.
public struct CDGraphics: Sendable, Equatable {
    /// A colour of 8 bits a channel.
    public struct Colour: Sendable, Equatable, Hashable {
        public var red: UInt8
        public var green: UInt8
        public var blue: UInt8

        public init(red: UInt8, green: UInt8, blue: UInt8) {
            (self.red, self.green, self.blue) = (red, green, blue)
        }
    }

    /// The canvas, in pixels.
    public static let width = 300
    public static let height = 216
    /// What of the canvas is seen, in pixels: 3 are hidden at the left and the right, 6 at the top and the
    /// bottom, where it was not scrolled.
    public static let visibleWidth = 294
    public static let visibleHeight = 204
    /// Most bytes of a file that count, 64 MiB: two and a half hours. A song of 4 minutes has 1.7 MB.
    public static let maximumSize = 64 << 20

    static let packetSize = 24
    static let packetsPerSecond = 300.0
    /// Packets that one call of `advance` passes at most, 100 s, and pixels that they draw: some
    /// milliseconds.
    static let mostPackets = 30_000
    static let mostPixels = 2_000_000

    private static let tileWidth = 6
    private static let tileHeight = 12

    private let bytes: [UInt8]
    /// The number of the packet that comes next.
    private var next = 0
    /// How far the view is moved on the canvas: 0…5 to the right, 0…11 down.
    private var (viewX, viewY) = (0, 0)

    /// The canvas row after row, each pixel the number of its colour, 0…15.
    public private(set) var pixels = [UInt8](repeating: 0, count: width * height)
    /// The 16 colours; black before a packet loads them.
    public private(set) var palette = Self.black
    /// Changes with the picture: equal numbers of one value mean the same picture.
    public private(set) var changes = 0

    private static let black = [Colour](
        repeating: Colour(red: 0, green: 0, blue: 0), count: 16)

    /// The picture of a file of these bytes, before its first packet; nil where no packet is one of CD+G.
    /// Bytes beyond `maximumSize`, and a last packet that is not whole, are left out.
    public init?(_ bytes: [UInt8]) {
        let size = min(bytes.count, Self.maximumSize)
        self.bytes = Array(bytes[..<(size - size % Self.packetSize)])
        guard (0..<packetCount).contains(where: { isGraphics($0) }) else { return nil }
    }

    /// In seconds.
    public var duration: Double { Double(packetCount) / Self.packetsPerSecond }

    private var packetCount: Int { bytes.count / Self.packetSize }

    /// Whether a packet is one of CD+G: its command is 9.
    private func isGraphics(_ packet: Int) -> Bool { bytes[packet * Self.packetSize] & 0x3F == 9 }

    // MARK: Time

    /// Carries out the packets up to `seconds` from the beginning: goes on from where it is, or begins
    /// again where that is behind. A long way takes several calls, of which each goes on.
    ///
    /// - Parameter seconds: any number; before the beginning is the beginning, after the end the end.
    /// - Returns: whether it is there.
    @discardableResult public mutating func advance(to seconds: Double) -> Bool {
        let place = seconds > 0 ? seconds * Self.packetsPerSecond : 0
        let goal = Int(min(place, Double(packetCount)))
        if goal < next { restart() }
        let end = min(goal, next + Self.mostPackets)
        var (hasChanged, pixelCount) = (false, 0)
        while next < end, pixelCount < Self.mostPixels {
            if isGraphics(next) {
                pixelCount += cost(at: next * Self.packetSize)
                if carryOut(at: next * Self.packetSize) { hasChanged = true }
            }
            next += 1
        }
        if hasChanged { changes += 1 }
        return next == goal
    }

    private mutating func restart() {
        next = 0
        (viewX, viewY) = (0, 0)
        for index in pixels.indices { pixels[index] = 0 }
        palette = Self.black
        changes += 1
    }

    // MARK: The picture

    /// What is seen, row after row: `visibleWidth` × `visibleHeight` numbers of colours.
    public var visible: [UInt8] {
        let (left, top) = (
            (Self.width - Self.visibleWidth) / 2 + viewX,
            (Self.height - Self.visibleHeight) / 2 + viewY
        )
        var seen: [UInt8] = []
        seen.reserveCapacity(Self.visibleWidth * Self.visibleHeight)
        for y in 0..<Self.visibleHeight {
            let row = (top + y) % Self.height * Self.width
            for x in 0..<Self.visibleWidth { seen.append(pixels[row + (left + x) % Self.width]) }
        }
        return seen
    }

    // MARK: Packets

    /// Carries out the packet at an offset. Returns whether it changed the picture.
    private mutating func carryOut(at offset: Int) -> Bool {
        switch bytes[offset + 1] & 0x3F {
        // Repeats of a preset, for players that missed the first, would wipe out what was drawn since.
        case 1 where data(offset, 1) & 0x0F == 0: fill(with: data(offset, 0) & 0x0F)
        case 2: drawBorder(data(offset, 0) & 0x0F)
        case 6: drawTile(offset, isXOR: false)
        case 38: drawTile(offset, isXOR: true)
        case 20: scroll(offset, copies: false)
        case 24: scroll(offset, copies: true)
        case 30: loadColours(offset, from: 0)
        case 31: loadColours(offset, from: 8)
        // 28 names a colour that a video behind the picture would show through.
        default: false
        }
    }

    /// How many pixels a packet may draw.
    private func cost(at offset: Int) -> Int {
        switch bytes[offset + 1] & 0x3F {
        case 1, 2, 20, 24: Self.width * Self.height
        case 6, 38: Self.tileWidth * Self.tileHeight
        default: 0
        }
    }

    /// A byte of the packet's data, 0…15, of which six bits count.
    private func data(_ offset: Int, _ number: Int) -> UInt8 { bytes[offset + 4 + number] & 0x3F }

    private mutating func set(_ index: Int, _ colour: UInt8) -> Bool {
        guard pixels[index] != colour else { return false }
        pixels[index] = colour
        return true
    }

    private mutating func fill(with colour: UInt8) -> Bool {
        var hasChanged = false
        for index in pixels.indices where set(index, colour) { hasChanged = true }
        return hasChanged
    }

    private mutating func drawBorder(_ colour: UInt8) -> Bool {
        let columns = Self.tileWidth..<(Self.width - Self.tileWidth)
        let rows = Self.tileHeight..<(Self.height - Self.tileHeight)
        var hasChanged = false
        for y in 0..<Self.height {
            for x in 0..<Self.width where !rows.contains(y) || !columns.contains(x) {
                if set(y * Self.width + x, colour) { hasChanged = true }
            }
        }
        return hasChanged
    }

    private mutating func drawTile(_ offset: Int, isXOR: Bool) -> Bool {
        let colours = (data(offset, 0) & 0x0F, data(offset, 1) & 0x0F)
        let top = Int(data(offset, 2) & 0x1F) * Self.tileHeight
        let left = Int(data(offset, 3)) * Self.tileWidth
        guard top < Self.height, left < Self.width else { return false }
        var hasChanged = false
        for y in 0..<Self.tileHeight {
            let bits = data(offset, 4 + y)
            for x in 0..<Self.tileWidth {
                let index = (top + y) * Self.width + left + x
                let colour = bits >> UInt8(5 - x) & 1 == 0 ? colours.0 : colours.1
                if set(index, isXOR ? pixels[index] ^ colour : colour) { hasChanged = true }
            }
        }
        return hasChanged
    }

    /// Moves the canvas by a tile where the packet says so, and the view to where it says. What leaves the
    /// canvas comes in at the other side where it `copies`, else a colour does.
    private mutating func scroll(_ offset: Int, copies: Bool) -> Bool {
        let (across, down) = (data(offset, 1), data(offset, 2))
        let x = [0, Self.tileWidth, -Self.tileWidth, 0][Int(across >> 4)]
        let y = [0, Self.tileHeight, -Self.tileHeight, 0][Int(down >> 4)]
        let view = (min(Int(across & 7), Self.tileWidth - 1), min(Int(down & 15), 11))
        var hasChanged = view != (viewX, viewY)
        (viewX, viewY) = view
        guard x != 0 || y != 0 else { return hasChanged }
        let old = pixels
        for row in 0..<Self.height {
            for column in 0..<Self.width {
                let from = (row - y, column - x)
                let isInside =
                    (0..<Self.height).contains(from.0) && (0..<Self.width).contains(from.1)
                let colour =
                    copies || isInside
                    ? old[
                        (from.0 + Self.height) % Self.height * Self.width
                            + (from.1 + Self.width) % Self.width]
                    : data(offset, 0) & 0x0F
                if set(row * Self.width + column, colour) { hasChanged = true }
            }
        }
        return hasChanged
    }

    /// Loads eight colours of four bits a channel: `00RRRRGG 00GGBBBB`.
    private mutating func loadColours(_ offset: Int, from first: Int) -> Bool {
        let old = palette
        for number in 0..<8 {
            let (high, low) = (data(offset, 2 * number), data(offset, 2 * number + 1))
            palette[first + number] = Colour(
                red: (high >> 2) * 17, green: ((high & 3) << 2 | low >> 4) * 17,
                blue: (low & 15) * 17)
        }
        return palette != old
    }
}
