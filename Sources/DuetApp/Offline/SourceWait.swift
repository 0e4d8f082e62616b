/// Waits for the sources of a render.
enum SourceWait {
    /// Frames between two looks at signals and sources.
    static let block = 4096

    /// Waits until `isReady`, which waits itself for as many milliseconds as it is given. A stop by the user
    /// is noticed within a fifth of a second.
    static func run(until isReady: (_ milliseconds: Int) -> Bool) throws(DuetError) {
        while !isReady(200) {
            if Signals.isStopping { throw .interrupted }
        }
        if Signals.isStopping { throw .interrupted }
    }
}
