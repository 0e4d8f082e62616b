import AudioMedia
import Foundation
import SystemSupport
import TestSupport
import Testing

@testable import DuetApp

@Suite struct WholeFileTests {
    /// Whoever reads while two write finds one of the texts, whole.
    @Test func aReaderFindsOneTextOrTheOther() throws {
        let folder = try TemporaryFolder()
        let path = folder.url.appendingPathComponent("file").path
        let texts = ["a", "b"].map { String(repeating: $0, count: 100_000) }
        let over = try texts.map { text in
            let end = try #require(EventFlag())
            let code = DetachedThread.start("writer") {
                for _ in 0..<50 {
                    let draft = FileName(path + "." + text.prefix(1))
                    if WholeFile.replace(FileName(path), with: text, draft: draft) != 0 {
                        Issue.record("cannot write")
                    }
                }
                end.set()
            }
            #expect(code == 0)
            return end
        }
        var wrong = 0
        while !over.allSatisfy({ $0.wait(milliseconds: 0) }) {
            // Before the first text there is no file.
            guard let text = try? String(contentsOfFile: path, encoding: .utf8) else { continue }
            if !texts.contains(text) { wrong += 1 }
        }
        #expect(wrong == 0)
        #expect(texts.contains(try String(contentsOfFile: path, encoding: .utf8)))
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path) == ["file"])
    }

    /// What cannot be written leaves what was there, and no draft.
    @Test func aFailureLeavesWhatWasThere() throws {
        let folder = try TemporaryFolder()
        let path = FileName(folder.url.appendingPathComponent("folder").path)
        try FileManager.default.createDirectory(
            at: folder.url.appendingPathComponent("folder"), withIntermediateDirectories: true)
        #expect(WholeFile.replace(path, with: "x", draft: path + ".draft") == EISDIR)
        #expect(WholeFile.replace(path + "/no/file", with: "x", draft: path + "/no/d") == ENOENT)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path) == ["folder"])
    }
}
