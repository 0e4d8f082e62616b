/// Why a command was not carried out; nothing was changed.
struct Refusal: Error, Equatable {
    /// In words, without a full stop.
    var reason: String
}
