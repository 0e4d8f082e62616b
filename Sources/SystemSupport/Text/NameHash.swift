/// The names of files that are found again by what they are about.
package enum NameHash {
    /// 16 hexadecimal digits that `bytes` give: FNV-1a with 64 bits (Fowler, Noll, Vo: RFC 9923).
    package static func digits(of bytes: some Sequence<UInt8>) -> String {
        let hash = bytes.reduce(0xcbf2_9ce4_8422_2325 as UInt64) {
            ($0 ^ UInt64($1)) &* 0x0000_0100_0000_01b3
        }
        let digits = String(hash, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }
}
