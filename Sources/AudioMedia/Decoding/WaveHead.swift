/// What the head of a WAV file (RIFF) says that its sound is encoded as. Some programs wrap an MP3
/// so.
enum WaveHead: Equatable {
    case mpeg
    case other
    /// Bytes are missing that tell.
    case cut

    /// How many of a file's first bytes are looked at.
    static let maximumSize = 1 << 16

    /// Nil when the bytes do not begin as a WAV file does.
    init?(_ bytes: ArraySlice<UInt8>) {
        func text(_ offset: Int) -> String {
            String(decoding: bytes.dropFirst(offset).prefix(4), as: UTF8.self)
        }
        guard ["RIFF", "RF64", "RIFX"].contains(text(0)), text(8) == "WAVE" else { return nil }
        let isBigEndian = text(0) == "RIFX"
        /// The number of `count` bytes at `offset`; nil where they are not there.
        func number(_ count: Int, at offset: Int) -> Int? {
            let part = bytes.dropFirst(offset).prefix(count)
            guard part.count == count else { return nil }
            return (isBigEndian ? Array(part) : part.reversed()).reduce(0) { $0 << 8 | Int($1) }
        }
        var offset = 12
        while offset < Self.maximumSize, let size = number(4, at: offset + 4) {
            switch text(offset) {
            case "fmt ":
                guard var tag = number(2, at: offset + 8) else {
                    self = .cut
                    return
                }
                // The extensible format names the real one in its last part.
                if tag == 0xFFFE { tag = number(2, at: offset + 32) ?? tag }
                self = [0x50, 0x55].contains(tag) ? .mpeg : .other
                return
            case "data":
                self = .other
                return
            default: offset += 8 + size + size % 2
            }
        }
        self = offset < Self.maximumSize ? .cut : .other
    }
}
