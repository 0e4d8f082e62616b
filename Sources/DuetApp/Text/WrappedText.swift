/// `text` in lines that take fewer than `columns` columns of a terminal, broken between words, or at
/// " · " alone when the text has any. A word longer than a line is broken at the line's end.
func wrapped(_ text: String, columns: Int) -> [String] {
    let separator = text.contains(" · ") ? " · " : " "
    let room = max(1, columns - 1)
    var lines: [String] = []
    var width = 0
    for part in text.split(separator: separator, omittingEmptySubsequences: false) {
        let own = CellWidth.of(String(part))
        if !lines.isEmpty, width + separator.count + own <= room {
            lines[lines.count - 1] += separator + part
            width += separator.count + own
            continue
        }
        var rest = part
        width = own
        while width > room {
            // A character that is wider than the line stands alone.
            let begin = max(1, CellWidth.prefix(of: rest, columns: room).count)
            lines.append(String(rest.prefix(begin)))
            rest = rest.dropFirst(begin)
            width -= CellWidth.of(lines[lines.count - 1])
        }
        if !rest.isEmpty || part.isEmpty { lines.append(String(rest)) }
    }
    return lines
}
