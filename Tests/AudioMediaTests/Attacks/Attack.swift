/// A part of our code that reads bytes from outside, and the rules that it keeps for any bytes.
enum Attack: String, CaseIterable {
    case cdg, decoder, head, icy, length, lyrics, ogg, playlist, sound, tags, ultrastar, zip

    /// Feeds `input` to the part.
    ///
    /// - Throws: `BrokenRule`, or an error that the part must not throw.
    func run(_ input: [UInt8]) throws {
        switch self {
        case .cdg: try GraphicsAttack.run(input)
        case .decoder: _ = try DecoderAttack.run(input)
        case .head: try HeadAttack.run(input)
        case .length: _ = try DecoderAttack.run(ofAnyLength: input)
        case .sound: try SoundFileAttack.run(input)
        case .lyrics: try LyricsAttack.run(input)
        case .ogg: try OggAttack.run(input)
        case .icy: try IcyAttack.run(input)
        case .playlist: try PlaylistAttack.run(input)
        case .tags: try TagsAttack.run(input)
        case .ultrastar: try UltraStarAttack.run(input)
        case .zip: try ZipAttack.run(input)
        }
    }
}
