/// The tag in the last bytes of a file (id3.org/ID3v1). Read here because libmpg123 looks for it
/// only where it can jump to a file's end.
enum ID3v1 {
    /// The length of the tag in bytes.
    static let size = 128

    /// Title and artist in `bytes`: Latin-1, filled up with zeros or spaces. Nil when `bytes` are
    /// no such tag.
    static func tags(_ bytes: [UInt8]) -> SongTags? {
        guard bytes.count == size, bytes.starts(with: Array("TAG".utf8)) else { return nil }
        func text(_ range: Range<Int>) -> String {
            let letters = bytes[range].prefix { $0 != 0 }.map { Unicode.Scalar($0) }
            return String(String.UnicodeScalarView(letters))
        }
        return SongTags(title: text(3..<33), artist: text(33..<63), lyrics: nil)
    }
}
