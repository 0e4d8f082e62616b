/// The names of the stems in a file `.stem.mp4` (Native Instruments' Stems): a mix in the first stream, and
/// what it is made of in those behind it.
enum StemAtom {
    /// Boxes that are looked at on the way, and bytes of the names, at most.
    private static let (mostBoxes, longest) = (1000, 1 << 16)
    /// How many stems there are at most, and which of them are the vocals where nothing names them.
    private static let (count, usual) = (4, UInt32(4))
    private static let words = ["vocal", "vox", "voice", "acapella", "a cappella"]

    /// The number of the stream that is the song, in a file that is called as one with stems; nil: it is
    /// not.
    static func songStream(of location: Location) -> UInt32? {
        guard case .file(let path) = location else { return nil }
        return [".stem.mp4", ".stem.m4a"].contains { path.ends(in: $0) } ? 0 : nil
    }

    /// The numbers of the streams that are not the vocals, and whether names tell that; nil where no stem
    /// is called so.
    ///
    /// - Parameters:
    ///   - size: of the file, in bytes.
    ///   - read: gives up to so many bytes from an offset on.
    static func backing(
        size: Int64, read: (Int64, Int) -> [UInt8]
    ) -> (numbers: [UInt32], areNamed: Bool)? {
        let names = text(size: size, read: read).map(names) ?? []
        guard !names.isEmpty else { return ((1..<usual).map { $0 }, false) }
        let backing = names.indices.filter { index in
            let name = names[index].lowercased()
            return !words.contains { name.contains($0) }
        }
        return backing.count == names.count ? nil : (backing.map { UInt32($0 + 1) }, true)
    }

    /// The bytes of the box `moov`, `udta`, `stem`: JSON.
    private static func text(size: Int64, read: (Int64, Int) -> [UInt8]) -> [UInt8]? {
        var (place, end) = (Int64(0), size)
        var boxes = 0
        for kind in ["moov", "udta", "stem"] {
            var found = false
            while !found {
                boxes += 1
                let head = read(place, 16)
                guard boxes <= mostBoxes, place < end, head.count >= 8 else { return nil }
                func number(_ bytes: ArraySlice<UInt8>) -> Int64 {
                    bytes.reduce(0) { $0 << 8 | Int64($1) }
                }
                var (length, start) = (number(head[..<4]), Int64(8))
                if length == 1 {
                    guard head.count == 16, head[8] < 0x80 else { return nil }
                    (length, start) = (number(head[8..<16]), 16)
                }
                if length == 0 { length = end - place }
                guard length >= start, length <= end - place else { return nil }
                found = head[4..<8].elementsEqual(kind.utf8)
                (place, end) = found ? (place + start, place + length) : (place + length, end)
            }
        }
        return read(place, Int(min(end - place, Int64(longest))))
    }

    /// The values of `"name"` behind `"stems"`, in their order.
    private static func names(_ json: [UInt8]) -> [String] {
        let text = String(decoding: json, as: UTF8.self)
        guard let start = text.firstRange(of: "\"stems\"")?.upperBound else { return [] }
        var rest = text[start...]
        var names: [String] = []
        while names.count < count, let key = rest.firstRange(of: "\"name\"") {
            rest = rest[key.upperBound...].drop { $0 == ":" || $0.isWhitespace }
            guard rest.first == "\"" else { continue }
            let name = rest.dropFirst().prefix { $0 != "\"" }
            names.append(String(name))
            rest = rest[name.endIndex...].dropFirst()
        }
        return names
    }
}
