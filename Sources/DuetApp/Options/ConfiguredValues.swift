import AudioMedia

/// What the user's configuration brings to a command.
struct ConfiguredValues: Sendable, Decodable {
    /// Values of the mix, in the order of the file; some may belong to another command.
    var assignments: [Assignment] = []
    /// The names of the options that the file alone asks for: the command line does not have them.
    var names: Set<String> = []
    /// Where takes are kept; nil: in the standard place.
    var takesFolder: FileName?
    /// What the user wants of keys.
    var keys: [KeyBinding] = []
    /// What is wrong with the files.
    var warnings: [String] = []

    init() {}

    /// Nothing: the parser of the command line, which asks for this, has no values of its own.
    init(from decoder: any Decoder) {}
}
