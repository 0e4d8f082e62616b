import Foundation
import Rig
import Testing

/// The folder of a take, as other programs see it.
struct RecordedTake {
    /// What `take.json` says.
    struct Facts: Decodable {
        let complete: Bool
        let rate: Int
        let period: Int
        let frames: Int
        let lead: Int
        let leadFrom: String
        let firstFrame: Int?
        let notAsHeard: [String]
        let files: [String]
        let songs: [Song]
        let changes: [Change]
        let gaps: [Gap]

        struct Song: Decodable {
            let bus: Int
            let address: String
            let frame: Int
            let place: Double
        }

        struct Change: Decodable {
            let frame: Int
            let address: String
            let value: String
        }

        struct Gap: Decodable {
            let frame: Int
            let count: Int
        }
    }

    let folder: URL

    /// The takes in a folder, by their names.
    static func all(in folder: String) throws -> [RecordedTake] {
        guard FileManager.default.fileExists(atPath: folder) else { return [] }
        return try FileManager.default.contentsOfDirectory(atPath: folder).sorted().map {
            RecordedTake(folder: URL(fileURLWithPath: folder).appendingPathComponent($0))
        }
    }

    var names: Set<String> {
        get throws { Set(try FileManager.default.contentsOfDirectory(atPath: folder.path)) }
    }

    var facts: Facts {
        get throws {
            let data = try Data(contentsOf: folder.appendingPathComponent("take.json"))
            return try JSONDecoder().decode(Facts.self, from: data)
        }
    }

    /// The channels of a sound file, to the bit: sox would round floats.
    func channels(_ name: String) throws -> [[Float]] {
        let bytes = try Data(contentsOf: folder.appendingPathComponent(name))
        func number(_ place: Int, _ size: Int) -> Int {
            (0..<size).reduce(0) { $0 | Int(bytes[place + $1]) << (8 * $1) }
        }
        try #require(bytes.count >= 12 && bytes[8..<12] == Data("WAVE".utf8))
        var (place, count) = (12, 0)
        while place + 8 <= bytes.count {
            let (kind, size) = (bytes[place..<place + 4], number(place + 4, 4))
            if kind == Data("fmt ".utf8) {
                count = number(place + 10, 2)
                try #require(number(place + 22, 2) == 32)
            }
            if kind == Data("data".utf8) {
                try #require(count > 0 && place + 8 + size <= bytes.count)
                let samples = bytes[place + 8..<place + 8 + size].withUnsafeBytes { data in
                    (0..<size / 4).map {
                        data.loadUnaligned(fromByteOffset: 4 * $0, as: Float.self)
                    }
                }
                return (0..<count).map { channel in
                    stride(from: channel, to: samples.count, by: count).map { samples[$0] }
                }
            }
            place += 8 + size + size % 2
        }
        throw ChildProcess.Failure(description: "\(name) has no data")
    }

    /// How many frames other programs find in a sound file: libsndfile through duet, sox and ffmpeg.
    func lengths(_ name: String) throws -> [Int] {
        let path = folder.appendingPathComponent(name).path
        func number(_ words: [String]) throws -> Int {
            let text = String(decoding: try Tool.run(words), as: UTF8.self)
            return try #require(Int(text.trimmingCharacters(in: .whitespacesAndNewlines)))
        }
        let render = try Duet.run(["render", path, "-o", "/dev/null", "--json"])
        return [
            try #require(try render.first(Events.Bye.self)?.frames),
            try number(["soxi", "-s", path]),
            try number([
                "ffprobe", "-v", "error", "-show_entries", "stream=duration_ts", "-of",
                "csv=p=0", path,
            ]),
        ]
    }
}
