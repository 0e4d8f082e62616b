import Glibc

/// The cells of a table that a test tries: all of them, or those whose name holds what `DUET_CELL` says.
public func picked<Cell: CustomStringConvertible>(_ cells: [Cell]) throws -> [Cell] {
    guard let text = getenv("DUET_CELL") else { return cells }
    let picked = cells.filter { $0.description.contains(String(cString: text)) }
    // A test without cells would pass.
    guard !picked.isEmpty else { throw NoCell(name: String(cString: text)) }
    return picked
}

private struct NoCell: Error {
    let name: String
}
