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

    /// The keys of a table, and what the user wants of them, as lines of such a file: put in its
    /// place, they change nothing.
    func text(with table: KeyTable) -> String {
        var own: [Key: KeyBinding] = [:]
        for binding in bindings { own[binding.key] = binding }
        for row in table.rows where own[row.key]?.line == row.line { own[row.key] = nil }
        let others = table.rows.filter { own[$0.key] == nil }.map(\.text)
        let mine = own.values.map { "\($0.key.name) \($0.line ?? "none")" }
        return (others + mine.sorted()).map { $0 + "\n" }.joined()
    }
}
