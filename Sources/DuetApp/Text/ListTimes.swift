/// How long the songs of a list take, as far as is known.
struct ListTimes: Sendable, Equatable {
    /// Seconds until the end of each song, from the beginning of the list, with a leading 0. A song of
    /// unknown length counts as the mean of the others.
    private let ends: [Double]

    /// - Parameter durations: in seconds; nil: unknown.
    init(_ durations: [Double?]) {
        let known = durations.compactMap { $0 }
        guard !known.isEmpty else {
            ends = []
            return
        }
        let mean = known.reduce(0, +) / Double(known.count)
        var ends = [0.0]
        ends.reserveCapacity(durations.count + 1)
        for duration in durations { ends.append(ends[ends.count - 1] + (duration ?? mean)) }
        self.ends = ends
    }

    /// Seconds from a place in one song to the beginning of another, or to the end of the list.
    ///
    /// - Parameters:
    ///   - song: the number of the song, from 0.
    ///   - passed: seconds of it that are over; beyond its length all of it is.
    ///   - other: the number of the other one.
    /// - Returns: nil if no length is known, or there are no such songs.
    func seconds(from song: Int, passed: Double, to other: Int) -> Double? {
        guard song >= 0, song < other, other < ends.count else { return nil }
        let whole = ends[song + 1] - ends[song]
        return ends[other] - ends[song] - min(max(0, passed), whole)
    }

    /// A time that is not known well, as `20 min` or `1 h 43 min`.
    static func text(_ seconds: Double) -> String {
        let minutes = Int(nearest: max(0, seconds) / 60)
        guard minutes > 0 else { return "1 min" }
        return minutes < 60 ? "\(minutes) min" : "\(minutes / 60) h \(minutes % 60) min"
    }
}
