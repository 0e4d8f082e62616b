import Glibc
@testable import SystemSupport

/// A part of our code that reads bytes from outside, and the rules that it keeps for any bytes.
enum Attack: String, CaseIterable {
    case cdg, decoder, head, icy, length, lyrics, ogg, playlist, sound, tags, ultrastar, zip

    /// Feeds `input` to the part, on a thread as the program's decoders have, and waits.
    ///
    /// - Throws: `BrokenRule`, or an error that the part must not throw.
    func run(_ input: [UInt8]) throws {
        let result = Guarded(Result<Void, any Error>?.none)
        guard let isOver = EventFlag() else {
            throw BrokenRule(description: "no descriptor is left")
        }
        let code = DetachedThread.start("attack", stack: .libraries) {
            let outcome = Result { try runHere(input) }
            result.withLock { $0 = outcome }
            isOver.set()
        }
        guard code == 0 else { throw BrokenRule(description: "no thread could be made") }
        _ = isOver.wait(milliseconds: -1)
        try result.withLock { $0 }?.get()
    }

    private func runHere(_ input: [UInt8]) throws {
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
