import AudioGraph
import AudioMedia

/// Finds when which part of which song is heard in a take: song and graph count their frames apart, and
/// the render thread moves both on while they are read.
struct SongWatch {
    /// What is heard without a break.
    private struct Stretch {
        let number: Int
        let location: String
        /// The song's frame less the graph's: constant while nothing moves the song.
        var distance: Int64
        var song: Take.Song
    }

    /// A song's address as it is kept: no password, no token.
    private static func address(_ location: String) -> String {
        guard location.contains("://") else {
            return (try? Location(location))?.whole.description ?? location
        }
        return String(location.prefix { $0 != "?" && $0 != "#" })
    }

    private var stretches: [Int: Stretch] = [:]
    private var count = 0

    /// The songs that are heard since the last look, or better known, each with its number in the take;
    /// in frames of the graph.
    mutating func look(at songs: LiveSongs, in graph: Graph) -> [(Int, Take.Song)] {
        var news: [(Int, Take.Song)] = []
        for (bus, heard) in songs.heard.enumerated() {
            guard let heard else {
                stretches[bus] = nil
                continue
            }
            let frame = Int64(graph.renderedFrames)
            let distance = heard.frame - frame
            let old = stretches[bus]
            let isSame = old.map { $0.location == heard.location } ?? false
            // Read in the middle of a cycle the song may be ahead by its frames, never behind.
            let slack = Int64(graph.sampleRate / 4)
            let isOn =
                isSame
                && (!heard.isAtItsSpeed || old.map { abs($0.distance - distance) < slack } ?? false)
            if isOn, var stretch = old {
                let isBetter =
                    heard.isAtItsSpeed && distance < stretch.distance
                    || stretch.song.title != heard.title
                guard isBetter else { continue }
                if distance < stretch.distance, heard.isAtItsSpeed {
                    stretch.song.place +=
                        Double(distance - stretch.distance) / Double(graph.sampleRate)
                    stretch.distance = distance
                }
                stretch.song.title = heard.title
                stretches[bus] = stretch
                news.append((stretch.number, stretch.song))
            } else {
                let song = Take.Song(
                    bus: bus, address: Self.address(heard.location), title: heard.title,
                    frame: frame, place: Double(heard.frame) / Double(graph.sampleRate))
                stretches[bus] = Stretch(
                    number: count, location: heard.location, distance: distance, song: song)
                news.append((count, song))
                count += 1
            }
        }
        return news
    }
}
