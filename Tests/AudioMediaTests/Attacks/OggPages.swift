/// The pages of an Ogg file.
enum OggPages {
    /// Gives every page the checksum that it must have: otherwise a changed page is passed over as a
    /// whole, and its contents are never looked at.
    static func mend(_ bytes: inout [UInt8]) {
        var start = 0
        while start + 27 < bytes.count {
            guard bytes[start...].starts(with: "OggS".utf8) else {
                start += 1
                continue
            }
            let parts = bytes[(start + 27)...].prefix(Int(bytes[start + 26]))
            let end = parts.endIndex + parts.reduce(0) { $0 + Int($1) }
            guard end <= bytes.count else { return }
            for place in 22..<26 { bytes[start + place] = 0 }
            let sum = bytes[start..<end].reduce(UInt32(0)) {
                $0 << 8 ^ table[Int($0 >> 24) ^ Int($1)]
            }
            for place in 0..<4 { bytes[start + 22 + place] = UInt8(sum >> (8 * place) & 0xFF) }
            start = end
        }
    }

    /// The checksum of each byte (RFC 3533, section 6).
    private static let table = (0..<256).map { byte in
        (0..<8).reduce(UInt32(byte) << 24) { sum, _ in
            sum << 1 ^ (sum >> 31 == 1 ? 0x04C1_1DB7 : 0)
        }
    }
}
