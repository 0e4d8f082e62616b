/// Keys of which the same is said, and what: `9/0`, `song volume`.
struct KeyHelp: Sendable, Equatable {
    var keys: String
    var help: String
}
