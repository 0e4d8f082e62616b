import Foundation
import TestSupport
import Testing

/// Replays every input that fuzzing began with or kept, and noise.
@Suite struct ProgramCorpusTests {
    @Test(arguments: ProgramAttack.allCases)
    func nothingBreaks(_ attack: ProgramAttack) throws {
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("../../Fuzz/Corpus/\(attack)")
        let files = try FileManager.default.contentsOfDirectory(
            at: folder, includingPropertiesForKeys: nil)
        #expect(!files.isEmpty)
        var random = SeededRandom(seed: 10)
        for file in files {
            let input = [UInt8](try Data(contentsOf: file))
            #expect(attack.brokenRule(by: input) == nil, "\(file.lastPathComponent)")
            for _ in 0..<(LongTests.areRun ? 200 : 20) where !input.isEmpty {
                var changed = input
                changed[Int.random(in: changed.indices, using: &random)] =
                    UInt8.random(in: 0...255, using: &random)
                #expect(attack.brokenRule(by: changed) == nil, "\(changed)")
            }
        }
    }
}
