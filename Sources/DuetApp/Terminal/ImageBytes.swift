import CZlib

/// The bytes that make a terminal draw a picture by itself, over cells that are blank.
enum ImageBytes {
    /// The number that our pictures have in Kitty's protocol.
    private static let number = 31
    /// Kitty takes pieces of this size at most.
    private static let pieceSize = 4096
    /// More pixels a side are not drawn, whatever the terminal says of its cells.
    private static let mostPixels = 4096

    static func draw(_ image: CellImage) -> [UInt8] {
        let place = "\u{1B}[\(image.rows.lowerBound + 1);\(image.columns.lowerBound + 1)H"
        let bytes =
            switch image.graphics {
            case .kitty: kitty(image)
            case .sixel(let cell):
                sixel(
                    image.picture, width: min(mostPixels, image.columns.count * cell.width),
                    height: min(mostPixels, image.rows.count * cell.height))
            }
        return Array(place.utf8) + bytes
    }

    // MARK: Kitty

    /// Kitty's graphics protocol: RGB by zlib, in the place of the picture before; no answers (q=2), and
    /// the cursor stays (C=1).
    private static func kitty(_ image: CellImage) -> [UInt8] {
        let picture = image.picture
        var pixels: [UInt8] = []
        pixels.reserveCapacity(3 * picture.pixels.count)
        for pixel in picture.pixels {
            let colour = picture.palette[Int(pixel)]
            pixels.append(colour.red)
            pixels.append(colour.green)
            pixels.append(colour.blue)
        }
        let (data, isCompressed) = compressed(pixels).map { ($0, true) } ?? (pixels, false)
        let encoded = base64(data)
        let head =
            "a=T,f=24,\(isCompressed ? "o=z," : "")s=\(picture.width),v=\(picture.height),"
            + "i=\(number),p=1,c=\(image.columns.count),r=\(image.rows.count),C=1,q=2,"
        var bytes: [UInt8] = []
        var start = 0
        repeat {
            let end = min(encoded.count, start + pieceSize)
            let more = end < encoded.count ? 1 : 0
            bytes += "\u{1B}_G\(start == 0 ? head : "")m=\(more);".utf8
            bytes += encoded[start..<end]
            bytes += "\u{1B}\\".utf8
            start = end
        } while start < encoded.count
        return bytes
    }

    /// Nil where zlib has no memory.
    private static func compressed(_ bytes: [UInt8]) -> [UInt8]? {
        var size = compressBound(UInt(bytes.count))
        var packed = [UInt8](repeating: 0, count: Int(size))
        guard
            compress2(&packed, &size, bytes, UInt(bytes.count), Z_BEST_SPEED) == Z_OK
        else { return nil }
        return Array(packed.prefix(Int(size)))
    }

    /// RFC 4648.
    static func base64(_ bytes: [UInt8]) -> [UInt8] {
        let letters = Array(
            "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
        var text: [UInt8] = []
        text.reserveCapacity((bytes.count + 2) / 3 * 4)
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let count = min(3, bytes.count - start)
            var word = 0
            for place in 0..<3 {
                word = word << 8 | (place < count ? Int(bytes[start + place]) : 0)
            }
            for place in 0..<4 {
                let letter = letters[word >> (18 - 6 * place) & 63]
                text.append(place <= count ? letter : UInt8(ascii: "="))
            }
        }
        return text
    }

    // MARK: Sixels

    /// DEC's sixels (VT330/VT340 Programmer Reference Manual, volume 2): bands of six rows, each drawn
    /// once for each of its colours, with runs counted.
    static func sixel(_ picture: Picture, width: Int, height: Int) -> [UInt8] {
        var bytes = Array("\u{1B}P0;1;0q\"1;1;\(width);\(height)".utf8)
        for (number, colour) in picture.palette.enumerated() {
            /// 0…100.
            func percent(_ value: UInt8) -> Int { (Int(value) * 100 + 127) / 255 }
            bytes += "#\(number);2;\(percent(colour.red));\(percent(colour.green));".utf8
            bytes += "\(percent(colour.blue))".utf8
        }
        let columns = (0..<width).map { $0 * picture.width / width }
        var masks = [[UInt8]](
            repeating: [UInt8](repeating: 0, count: width), count: picture.palette.count)
        for top in stride(from: 0, to: height, by: 6) {
            var isUsed = [Bool](repeating: false, count: picture.palette.count)
            for row in top..<min(height, top + 6) {
                let line = row * picture.height / height * picture.width
                let bit = UInt8(1) << UInt8(row - top)
                for (place, column) in columns.enumerated() {
                    let colour = Int(picture.pixels[line + column])
                    masks[colour][place] |= bit
                    isUsed[colour] = true
                }
            }
            for colour in masks.indices where isUsed[colour] {
                bytes += "#\(colour)".utf8
                appendRuns(of: masks[colour], to: &bytes)
                bytes.append(UInt8(ascii: "$"))
                for place in 0..<width { masks[colour][place] = 0 }
            }
            bytes[bytes.count - 1] = UInt8(ascii: "-")
        }
        return bytes + "\u{1B}\\".utf8
    }

    private static func appendRuns(of masks: [UInt8], to bytes: inout [UInt8]) {
        var start = 0
        while start < masks.count {
            var end = start + 1
            while end < masks.count, masks[end] == masks[start] { end += 1 }
            let count = end - start
            let letter = 0x3F + masks[start]
            // What is blank up to the end is not drawn.
            if masks[start] == 0, end == masks.count { return }
            if count > 3 {
                bytes += "!\(count)".utf8
                bytes.append(letter)
            } else {
                for _ in 0..<count { bytes.append(letter) }
            }
            start = end
        }
    }
}
