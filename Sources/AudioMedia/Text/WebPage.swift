/// Tells web pages, which servers send in place of what was asked for, and browsers save.
enum WebPage {
    /// How many first bytes are looked at.
    private static let headSize = 4096

    /// Whether bytes begin as a page of HTML does, behind white space.
    static func begins(_ bytes: ArraySlice<UInt8>) -> Bool {
        var head = bytes.prefix(headSize)
        if head.starts(with: [0xFF, 0xFE]) || head.starts(with: [0xFE, 0xFF]) {
            head = Array(TextEncoding.decode(head).utf8)[...]
        }
        if head.starts(with: [0xEF, 0xBB, 0xBF]) { head = head.dropFirst(3) }
        head = head.drop { $0 == 0x20 || (9...13).contains($0) }
        return ["<!doctype html", "<html"].contains { mark in
            let count = mark.utf8.count
            return String(decoding: head.prefix(count), as: UTF8.self).lowercased() == mark
        }
    }
}
