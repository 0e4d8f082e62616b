/// One place on the screen.
struct Cell: Sendable, Equatable {
    /// The character's first scalar; 0 for the right half of the wide character before.
    var scalar: UInt32
    var style: CellStyle
    /// How many cells each way its character takes, where that is more than one: 0 for all others. The cells
    /// that it covers beside its own are right halves.
    var scale: UInt8 = 0
    /// Its colours where it is a part of a picture, in place of a style; nil: it is text.
    var paint: CellPaint?

    static let blank = Cell(scalar: 0x20, style: .plain)

    /// Whether this is the right half of a wide character.
    var isRightHalf: Bool { scalar == 0 }
}
