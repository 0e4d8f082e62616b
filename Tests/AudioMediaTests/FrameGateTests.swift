import Foundation
import TestSupport
import Testing

@testable import AudioMedia

@Suite struct FrameGateTests {
    /// The whole output of a gate fed with `bytes` in pieces of `chunk`.
    private func filter(_ bytes: [UInt8], chunk: Int) throws(DecoderError) -> [UInt8] {
        var gate = FrameGate()
        var output: [UInt8] = []
        var offset = 0
        while true {
            while let passage = try gate.next() {
                switch passage {
                case .verbatim(let bytes): output += bytes
                case .tag(let bytes): output += [UInt8](repeating: 0, count: bytes.count)
                case .zeros(let count): output += [UInt8](repeating: 0, count: count)
                }
                #expect(gate.outputOffset == output.count)
            }
            guard offset < bytes.count else { return output }
            let end = min(offset + chunk, bytes.count)
            bytes[offset..<end].withUnsafeBytes { gate.push($0) }
            offset = end
            #expect(gate.inputOffset == offset)
            if offset == bytes.count { gate.end() }
        }
    }

    private func isRefused(_ bytes: [UInt8]) -> Bool {
        do {
            _ = try decodeAll(bytes, chunk: 4096)
            return false
        } catch {
            return error == .notMPEG
        }
    }

    @Test func refusesWhatIsNoMPEG() throws {
        let html = Array(
            ("<!DOCTYPE html>" + String(repeating: "<p>Not found</p>\n", count: 9000)).utf8)
        #expect(isRefused(html))
        #expect(isRefused([]))
        #expect(isRefused(Array("ID3".utf8)))
        _ = try MusicFile.constant.url
        let wave = MusicFile.folder.appendingPathComponent("source.wav")
        #expect(isRefused([UInt8](try Data(contentsOf: wave))))
        let picture = MusicFile.folder.appendingPathComponent("picture-\(UUID()).png")
        defer { try? FileManager.default.removeItem(at: picture) }
        try Tool.run([
            "ffmpeg", "-v", "error", "-f", "lavfi", "-i", "testsrc2=size=640x480", "-frames:v",
            "1", picture.path,
        ])
        #expect(isRefused([UInt8](try Data(contentsOf: picture))))
    }

    @Test func refusesNoise() {
        var random = SeededRandom(seed: 15)
        let noise = random.bytes(3_000_000)
        #expect(isRefused(noise))
    }

    @Test func passesFramesAloneAtAnyChunk() throws {
        let frames = try MusicFile.headerless.bytes
        let tag = Array("ID3".utf8) + [4, 0, 0, 0, 0, 1, 0] + [UInt8](repeating: 0xFF, count: 128)
        let junk = Array("some text that is no music".utf8)
        let bytes = tag + junk + frames[..<20_000] + junk + frames[20_000...] + junk
        let expected = try filter(bytes, chunk: bytes.count)
        #expect(expected.count == bytes.count)
        #expect(expected[..<(tag.count + junk.count)].allSatisfy { $0 == 0 })
        #expect(expected.suffix(junk.count).allSatisfy { $0 == 0 })
        let firstFrames = tag.count + junk.count
        #expect(Array(expected[firstFrames...].prefix(19_000)) == Array(frames[..<19_000]))
        for chunk in [1, 7, 4096] {
            let output = try filter(bytes, chunk: chunk)
            #expect((output == expected) as Bool)
        }
    }

    @Test func acceptsWithinAMebibyte() throws {
        let frames = Array(try MusicFile.headerless.bytes.prefix(20_000))
        let near = [UInt8](repeating: 0x55, count: 1_040_000)
        let output = try filter(near + frames, chunk: 4096)
        #expect((Array(output[1_040_000..<1_058_000]) == Array(frames[..<18_000])) as Bool)
        let far = [UInt8](repeating: 0x55, count: 1_050_000)
        #expect(throws: DecoderError.notMPEG) { try filter(far + frames, chunk: 4096) }
    }

    /// Other formats, and programs, hold headers by chance: behind such bytes twelve frames are needed.
    @Test func behindJunkTwelveHeadersAreNeeded() throws {
        let size = try #require(FrameHeader(0xFFFB_9400)).byteCount(freeSize: 0)
        let frame = [0xFF, 0xFB, 0x94, 0x00] + [UInt8](repeating: 0x11, count: size - 4)
        func song(_ count: Int, behind start: [UInt8]) -> [UInt8] {
            start + (0..<count).flatMap { _ in frame } + [UInt8](repeating: 0x55, count: 50)
        }
        let junk = Array("MZ and so on".utf8)
        #expect(throws: DecoderError.notMPEG) { try filter(song(11, behind: junk), chunk: 4096) }
        for (count, start) in [(12, junk), (3, []), (3, [UInt8](repeating: 0, count: 12))] {
            let output = try filter(song(count, behind: start), chunk: 100)
            #expect((Array(output.dropFirst(start.count).prefix(size)) == frame) as Bool)
        }
    }

    @Test func newFormatNeedsThreeHeaders() throws {
        let frames = Array(try MusicFile.headerless.bytes.prefix(20_000))
        // Two frames of another rate between frames become zeros; many are passed.
        let size = try #require(FrameHeader(0xFFFB_9400)).byteCount(freeSize: 0)
        let frame = [0xFF, 0xFB, 0x94, 0x00] + [UInt8](repeating: 0x11, count: size - 4)
        let whole = try lastFrameEnd(of: frames)
        let two = try filter(Array(frames[..<whole]) + frame + frame, chunk: 500)
        #expect(two.suffix(2 * size).allSatisfy { $0 == 0 })
        let three = try filter(Array(frames[..<whole]) + frame + frame + frame, chunk: 500)
        #expect((Array(three.suffix(3 * size)) == frame + frame + frame) as Bool)
    }

    /// Where the last whole frame of `bytes`, which begin with one, ends.
    private func lastFrameEnd(of bytes: [UInt8]) throws -> Int {
        var position = 0
        while position + 4 <= bytes.count {
            let word = bytes[position..<position + 4].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
            let size = try #require(FrameHeader(word)).byteCount(freeSize: 0)
            guard position + size <= bytes.count else { break }
            position += size
        }
        return position
    }
}
