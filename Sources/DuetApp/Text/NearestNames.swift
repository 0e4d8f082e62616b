/// A name without regard to case, spaces and hyphens: `Hip Hop` and `hip-hop` are the same.
func plainName(_ name: String) -> String {
    name.lowercased().filter { $0 != " " && $0 != "-" }
}

/// The names that resemble `text` most, at most three; none where none does.
func nearest(to text: String, among names: [String]) -> [String] {
    let similar = names.map { (name: $0, distance: editDistance($0, text)) }
        .sorted { $0.distance < $1.distance }
        .filter { $0.distance <= max(1, text.count / 2) }
    return Array(similar.map(\.name).prefix(3))
}

/// How many characters must be put in, taken out or changed to make one text of the other
/// (Levenshtein 1966).
private func editDistance(_ a: String, _ b: String) -> Int {
    let b = Array(b)
    var row = Array(0...b.count)
    for (i, character) in a.enumerated() {
        var diagonal = row[0]
        row[0] = i + 1
        for j in b.indices {
            let change = diagonal + (character == b[j] ? 0 : 1)
            diagonal = row[j + 1]
            row[j + 1] = min(change, row[j] + 1, row[j + 1] + 1)
        }
    }
    return row[b.count]
}
