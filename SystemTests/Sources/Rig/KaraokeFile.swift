/// Makes the picture of a karaoke song (CD+G) packet by packet, 300 a second.
public struct KaraokeFile: Sendable {
    public private(set) var bytes: [UInt8] = []

    public init() {}

    /// A packet with a command other than CD+G's is passed over by players.
    public mutating func packet(_ instruction: UInt8, _ data: [UInt8] = [], command: UInt8 = 9) {
        let data = data + [UInt8](repeating: 0, count: 16 - data.count)
        // Bits that do not count are set: the other channels of a CD.
        bytes += ([command, instruction, 0, 0] + data + [0, 0, 0, 0]).map { $0 | 0xC0 }
    }

    /// Nothing happens for so many packets.
    public mutating func wait(_ packets: Int) {
        bytes += [UInt8](repeating: 0, count: 24 * packets)
    }

    /// Loads all colours: 16 of 0…15 a channel.
    public mutating func colours(_ colours: [(red: UInt8, green: UInt8, blue: UInt8)]) {
        for half in 0..<2 {
            packet(
                30 + UInt8(half),
                colours[(8 * half)..<(8 * half + 8)].flatMap {
                    [$0.red << 2 | $0.green >> 2, ($0.green & 3) << 4 | $0.blue]
                })
        }
    }

    public mutating func clear(_ colour: UInt8, number: UInt8 = 0) { packet(1, [colour, number]) }

    public mutating func border(_ colour: UInt8) { packet(2, [colour]) }

    /// A tile of 6×12 pixels: `rows` from the top, their highest of six bits at the left.
    public mutating func tile(
        row: UInt8, column: UInt8, _ off: UInt8, _ on: UInt8, _ rows: [UInt8], isXOR: Bool = false
    ) {
        packet(isXOR ? 38 : 6, [off, on, row, column] + rows)
    }

    /// Moves the picture: by a tile to the right (1) or the left (2), down (1) or up (2); and the view by
    /// some pixels.
    public mutating func scroll(
        across: UInt8 = 0, down: UInt8 = 0, view: (x: UInt8, y: UInt8) = (0, 0),
        _ colour: UInt8 = 0,
        copies: Bool
    ) {
        packet(copies ? 24 : 20, [colour, across << 4 | view.x, down << 4 | view.y])
    }

    /// Letters of one tile each, three columns of five rows, doubled.
    private static let letters: [Character: [UInt8]] = [
        "L": [4, 4, 4, 4, 7], "A": [2, 5, 7, 5, 5], "O": [7, 5, 5, 5, 7], "H": [5, 5, 7, 5, 5],
        "E": [7, 4, 6, 4, 7],
    ]

    /// Writes a word in capital letters, one tile each.
    public mutating func write(
        _ word: String, row: UInt8, column: UInt8, _ off: UInt8, _ on: UInt8, isXOR: Bool = false
    ) {
        for (place, letter) in word.enumerated() {
            let rows = (Self.letters[letter] ?? [0, 0, 0, 0, 0]).flatMap { bits -> [UInt8] in
                let wide = (0..<3).reduce(UInt8(0)) { $0 | (bits >> $1 & 1) * 3 << (2 * $1) }
                return [wide, wide]
            }
            tile(
                row: row, column: column + UInt8(place), off, on, [0] + rows + [0], isXOR: isXOR)
        }
    }

    /// A song of a second: four words in white on blue, which turn yellow one after the other, then a
    /// scroll and other colours.
    public static let demo: KaraokeFile = {
        var file = KaraokeFile()
        let tones: [(red: UInt8, green: UInt8, blue: UInt8)] = [
            (0, 0, 6), (15, 15, 15), (0, 0, 0), (15, 12, 0), (15, 0, 0), (0, 15, 0), (0, 8, 15),
        ]
        let greys = (0..<9).map { (red: UInt8($0), green: UInt8($0), blue: UInt8($0)) }
        file.colours(tones + greys)
        file.clear(0)
        file.clear(0, number: 1)
        file.border(6)
        let words = ["LA", "LALA", "HELLO", "OH"]
        for (line, word) in words.enumerated() {
            file.write(word, row: UInt8(3 + 3 * line), column: 20, 0, 1)
        }
        for (line, word) in words.enumerated() {
            file.wait(30)
            file.write(word, row: UInt8(3 + 3 * line), column: 20, 0, 2, isXOR: true)
        }
        file.scroll(down: 2, 6, copies: false)
        file.scroll(across: 1, copies: true)
        file.wait(30)
        file.colours((tones + greys).map { (15 - $0.red, $0.green, $0.blue) })
        return file
    }()
}
