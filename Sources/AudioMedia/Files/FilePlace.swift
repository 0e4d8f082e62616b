import Glibc

/// A file's device and number, which are the same under all its names and links.
package struct FilePlace: Hashable, Sendable {
    private let device: dev_t
    private let number: ino_t

    /// The place of the file of an open descriptor; nil when the descriptor is not open.
    package init?(descriptor: Int32) {
        var facts = stat()
        guard unsafe fstat(descriptor, &facts) == 0 else { return nil }
        self.init(facts)
    }

    /// The place of the file that a name leads to, through links; nil when there is none. Blocks for as
    /// long as the disk takes.
    package init?(of name: FileName) {
        var facts = stat()
        guard unsafe stat(name.cString, &facts) == 0 else { return nil }
        self.init(facts)
    }

    package init(_ facts: stat) {
        device = facts.st_dev
        number = facts.st_ino
    }
}
