import Foundation
import Testing

@testable import AudioMedia

/// Runs every attack with every input that fuzzing began with or kept.
@Suite struct CorpusTests {
    @Test(arguments: Attack.allCases)
    func nothingBreaks(_ attack: Attack) throws {
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("../../Fuzz/Corpus/\(attack)")
        let files = try FileManager.default.contentsOfDirectory(
            at: folder, includingPropertiesForKeys: nil)
        #expect(!files.isEmpty)
        for file in files {
            let input = [UInt8](try Data(contentsOf: file))
            #expect(throws: Never.self, "\(file.lastPathComponent)") { try attack.run(input) }
        }
    }
}
