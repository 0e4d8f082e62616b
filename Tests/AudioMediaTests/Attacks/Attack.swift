/// A part of ours that reads what others wrote, and the rules that hold whatever that is.
enum Attack: String, CaseIterable {
    case decoder, head, icy, length, playlist, sound, tags

    /// Gives the part `input`.
    ///
    /// - Throws: `BrokenRule`, or what the part must not throw.
    func run(_ input: [UInt8]) throws {
        switch self {
        case .decoder: _ = try DecoderAttack.run(input)
        case .head: try HeadAttack.run(input)
        case .length: _ = try DecoderAttack.run(ofAnyLength: input)
        case .sound: try SoundFileAttack.run(input)
        case .icy: try IcyAttack.run(input)
        case .playlist: try PlaylistAttack.run(input)
        case .tags: try TagsAttack.run(input)
        }
    }
}
