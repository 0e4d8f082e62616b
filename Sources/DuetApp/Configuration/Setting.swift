/// What a line of the configuration asks for.
enum Setting: Sendable, Equatable {
    /// Values of the mix.
    case values([Assignment])
    /// An option's name, and its value, which is empty for a flag.
    case option(name: String, value: String)

    /// Reads `NAME`, `NAME=VALUE` or `/ADDRESS=VALUE`.
    init(_ text: String) throws(Refusal) {
        let sign = text.firstIndex(of: "=")
        let name = String(text[..<(sign ?? text.endIndex)]).withoutSpaceAround
        let value = sign.map { String(text[text.index(after: $0)...]).withoutSpaceAround }
        if name.hasPrefix("/") {
            self = .values([try Assignment(text)])
            return
        }
        guard let row = OptionTable.configurable.first(where: { $0.name == name }) else {
            throw Self.unknown(name)
        }
        let text = try Self.text(of: value, row)
        guard row.address != nil || row === OptionRow.set else {
            self = .option(name: name, value: text)
            return
        }
        do throws(Refusal) {
            let assignment = try row.value(of: text) as? Assignment
            self = .values([assignment].compactMap { $0 })
        } catch {
            throw row === OptionRow.set
                ? error : Refusal(reason: "--\(row.name): \(error.reason)")
        }
    }

    /// The value that an option has in a line: what it stands for alone, where it may be alone.
    private static func text(of value: String?, _ row: OptionRow) throws(Refusal) -> String {
        switch row.form {
        case .flag:
            guard value == nil else { throw Refusal(reason: "\(row.name) takes no value") }
            return ""
        case .value(let valueName):
            guard let value, !value.isEmpty else {
                throw Refusal(reason: "\(row.name) needs a value: \(row.name)=<\(valueName)>")
            }
            return value
        case .optionalValue(_, let alone):
            return value.flatMap { $0.isEmpty ? nil : $0 } ?? alone
        }
    }

    private static func unknown(_ name: String) -> Refusal {
        let isTyped =
            OptionTable.rows.contains { $0.name == name } || ["help", "version"].contains(name)
        guard !isTyped else {
            return Refusal(reason: "--\(name) works only on the command line")
        }
        let names = OptionTable.configurable.map(\.name)
        let near = name.utf8.count <= 100 ? nearest(to: name, among: names) : []
        return Refusal(
            reason: "no option '\(name.prefix(40))'"
                + (near.isEmpty ? "" : "; did you mean \(near.listed("or"))?"))
    }
}
