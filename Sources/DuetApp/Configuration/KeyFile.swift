/// What the user wants of keys: the lines of `keys.conf`.
struct KeyFile: Sendable {
    private(set) var bindings: [KeyBinding] = []
    private(set) var wrong: WrongLines

    /// Takes the lines of `keys.conf`.
    init(_ file: SettingsFile) {
        wrong = file.wrong
        for line in file.lines {
            if wrong.endsReading() { break }
            do throws(Refusal) {
                bindings.append(try KeyBinding(line: line.text))
            } catch {
                wrong.add(line.number, error.reason)
            }
        }
    }

    /// The keys of a table below the headings of their groups, and what the user wants of them, as lines of
    /// such a file: put in its place, they change nothing.
    func text(with table: KeyTable) -> String {
        var own: [Key: KeyBinding] = [:]
        for binding in bindings { own[binding.key] = binding }
        for row in table.rows where own[row.key]?.line == row.line { own[row.key] = nil }
        var lines: [String] = []
        var group: KeyGroup?
        for row in table.rows where own[row.key] == nil {
            if row.group != group { lines.append("# \(row.group.rawValue)") }
            group = row.group
            lines.append(row.text)
        }
        if !own.isEmpty { lines.append("# \(KeyGroup.own.rawValue)") }
        lines += own.values.map { "\($0.key.name) \($0.line ?? "none")" }.sorted()
        return lines.map { $0 + "\n" }.joined()
    }
}
