import AudioGraph
import AudioMedia

/// Finds when which part of which song is heard in a take: song and graph count their frames apart, and
/// the render thread moves both on while they are read.
struct SongWatch {
    /// What is heard without a break.
    private struct Stretch {
        /// In the take; nil for one look: when another song begins, its name may come a moment later.
        var number: Int?
        var location: String
        /// The song's frame less the graph's: constant while nothing moves the song.
        var distance: Int64
        var song: Take.Song
        /// The frames of song and graph at the last look.
        var seen: (song: Int64, graph: Int64)
    }

    /// Seconds by which a song at another speed may be elsewhere than expected: its position moves in steps,
    /// and another tempo is heard a moment after it was set.
    private static let looseness = 0.25

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
    ///
    /// - Parameter period: the frames of a cycle.
    mutating func look(
        at songs: LiveSongs, in graph: Graph, period: Int
    ) -> [(number: Int, song: Take.Song)] {
        // Before the songs: where the render thread moves both on meanwhile, or is in the middle of a
        // cycle, a song seems to be ahead by its frames at most, and never behind.
        let frame = Int64(graph.renderedFrames)
        return songs.heard.enumerated().compactMap { bus, heard in
            guard let heard else {
                guard let stretch = stretches.removeValue(forKey: bus), let number = stretch.number
                else { return nil }
                var song = stretch.song
                song.end = frame
                return (number, song)
            }
            let distance = heard.frame - frame
            guard var stretch = stretches[bus],
                stretch.location == heard.location || stretch.number == nil,
                heard.isAtItsSpeed
                    ? abs(stretch.distance - distance) <= period
                    : isNear(heard, stretch, frame: frame)
            else {
                stretches[bus] = Stretch(
                    location: heard.location, distance: distance,
                    song: song(heard, bus: bus, frame: frame), seen: (heard.frame, frame))
                return nil
            }
            stretch.seen = (heard.frame, frame)
            defer { stretches[bus] = stretch }
            let isNearer = heard.isAtItsSpeed && distance < stretch.distance
            let isNews = stretch.number == nil || isNearer || stretch.song.title != heard.title
            guard isNews else { return nil }
            // The first look tells when; at another speed than its own it knows best.
            var song = stretch.song
            if isNearer {
                song.place += Double(distance - stretch.distance) / Double(graph.sampleRate)
                stretch.distance = distance
            }
            (song.title, song.address) = (heard.title, Self.address(heard.location))
            (stretch.song, stretch.location) = (song, heard.location)
            let number = stretch.number ?? count
            if stretch.number == nil { count += 1 }
            stretch.number = number
            return (number, song)
        }

        func isNear(_ heard: HeardSong, _ stretch: Stretch, frame: Int64) -> Bool {
            let way = Double(frame - stretch.seen.graph) * heard.speed
            let expected = Double(stretch.seen.song) + way
            return abs(Double(heard.frame) - expected)
                <= Self.looseness * Double(graph.sampleRate) + Double(period)
        }

        func song(_ heard: HeardSong, bus: Int, frame: Int64) -> Take.Song {
            Take.Song(
                bus: bus, frame: frame, place: Double(heard.frame) / Double(graph.sampleRate))
        }
    }
}
