import SystemSupport

/// The line that users type into, where nothing is redrawn: what is written of it.
struct TypedEcho {
    /// What was typed last; nil: users do not type.
    private var typed: TypedLine?
    /// What of it stands in the last line of the terminal; nil: the cursor is at the start of a line.
    private var written: String?

    /// Takes a change of the line; nil: users type no more. Returns what is written: more text is added to what
    /// stands there, other text stands in a line of its own.
    mutating func take(_ line: TypedLine?) -> String {
        let before = typed
        typed = line
        guard let line else { return end() }
        var text = ""
        if let note = line.note, note != before?.note { text = end() + SafeText.clean(note) + "\n" }
        let new = SafeText.clean(line.field).unicodeScalars
        // When the line opens, another field is typed into, or it is empty again.
        if before?.prompt != line.prompt || new.isEmpty && before?.field.isEmpty == false {
            text += end() + line.prompt
            written = ""
        }
        guard let old = written?.unicodeScalars, new.starts(with: old) else {
            text += end() + String(new)
            written = new.isEmpty ? nil : String(new)
            return text
        }
        written = String(new)
        return text + String(new.dropFirst(old.count))
    }

    /// Returns what ends the line that stands there, if any.
    mutating func end() -> String {
        defer { written = nil }
        return written == nil ? "" : "\n"
    }
}
