/// `text` in lines shorter than `columns`, broken between words, or at " · " alone when the
/// text has any. A word longer than a line is broken at the line's end.
func wrapped(_ text: String, columns: Int) -> [String] {
    let separator = text.contains(" · ") ? " · " : " "
    let width = max(1, columns - 1)
    var lines: [String] = []
    for part in text.split(separator: separator, omittingEmptySubsequences: false) {
        if let last = lines.last, last.count + separator.count + part.count <= width {
            lines[lines.count - 1] += separator + part
            continue
        }
        var rest = part
        while rest.count > width {
            lines.append(String(rest.prefix(width)))
            rest = rest.dropFirst(width)
        }
        lines.append(String(rest))
    }
    return lines
}
