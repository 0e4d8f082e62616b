import Foundation
import TestSupport

extension TemporaryFolder {
    /// The path of a song of two sines, three seconds long, as FFmpeg writes it by the ending of `name`.
    func sines(_ name: String, tags: [String] = []) throws -> String {
        let ending = URL(fileURLWithPath: name).pathExtension
        let words = tags.joined().filter { $0.isASCII && $0.isLetter }
        let kept = try MusicFile.kept("sines-\(words).\(ending)") { url in
            // FFmpeg goes by the ending, which the place has not.
            let made = url.appendingPathExtension(ending)
            try Tool.run(
                [
                    "ffmpeg", "-v", "error", "-f", "lavfi", "-i",
                    "aevalsrc='0.4*sin(440*2*PI*t)|0.3*sin(660*2*PI*t)':s=48000:d=3", "-ac", "2",
                ] + tags + [made.path])
            try FileManager.default.moveItem(at: made, to: url)
        }
        let path = self.url.appendingPathComponent(name).path
        try FileManager.default.copyItem(atPath: kept.path, toPath: path)
        return path
    }

    /// Its bytes.
    func sineBytes(_ name: String, tags: [String] = []) throws -> [UInt8] {
        [UInt8](try Data(contentsOf: URL(fileURLWithPath: try sines(name, tags: tags))))
    }
}
