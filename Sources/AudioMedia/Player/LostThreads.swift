import SystemSupport

/// The threads of songs that nobody wants any more, and that are at work, or hang in a call of the system.
enum LostThreads {
    enum Room {
        case free
        /// So many are at work, and maybe they do not hang.
        case unknown
        /// So many hang.
        case full
    }

    /// How many may hang before no song is opened any more.
    private static let limit = 4
    /// A thread that works for so many seconds hangs.
    private static let moment = 1.0
    /// Since when each is at work.
    private static let times = Guarded<[ObjectIdentifier: Double]>([:])

    static var room: Room {
        let now = monotonicSeconds()
        return times.withLock { times in
            if times.count < limit { return .free }
            return times.values.count { now - $0 > moment } < limit ? .unknown : .full
        }
    }

    static func add(_ thread: ObjectIdentifier, since start: Double) {
        times.withLock { $0[thread] = start }
    }

    static func remove(_ thread: ObjectIdentifier) {
        times.withLock { _ = $0.removeValue(forKey: thread) }
    }
}
