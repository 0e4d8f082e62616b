/// Makes valid MPEG 1 layer I frames with random samples, since no encoder at hand makes layer I.
public enum LayerOne {
    /// `count` frames of 384 kbit/s, 44.1 kHz, stereo: 384 samples, 416 or 420 bytes each.
    public static func frames(count: Int, seed: UInt64) -> [UInt8] {
        var random = SeededRandom(seed: seed)
        var bytes: [UInt8] = []
        var remainder = 0
        for _ in 0..<count {
            // 12 · 384000 / 44100 = 104.49 slots of 4 bytes.
            remainder += 12 * 384_000 % 44_100
            let padding = remainder >= 44_100
            if padding { remainder -= 44_100 }
            var bits = BitWriter()
            bits.write(0xFFFF, 16)
            bits.write(0xC, 4)
            bits.write(0, 2)
            bits.write(padding ? 1 : 0, 1)
            bits.write(0, 1)
            bits.write(0, 8)
            // Eight subbands of 6 bits a sample (allocation 5), the others empty.
            for band in 0..<32 { for _ in 0..<2 { bits.write(band < 8 ? 5 : 0, 4) } }
            for _ in 0..<16 { bits.write(Int.random(in: 15...40, using: &random), 6) }
            for _ in 0..<12 * 16 { bits.write(Int.random(in: 0..<63, using: &random), 6) }
            bytes += bits.bytes
            let size = (padding ? 105 : 104) * 4
            bytes += [UInt8](repeating: 0, count: size - bits.bytes.count)
        }
        return bytes
    }

    private struct BitWriter {
        var bytes: [UInt8] = []
        private var free = 0

        mutating func write(_ value: Int, _ count: Int) {
            for shift in (0..<count).reversed() {
                if free == 0 {
                    bytes.append(0)
                    free = 8
                }
                free -= 1
                bytes[bytes.count - 1] |= UInt8(value >> shift & 1) << UInt8(free)
            }
        }
    }
}
