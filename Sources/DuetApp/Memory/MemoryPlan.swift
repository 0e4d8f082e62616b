import AudioMedia

/// How a run remembers what users change of songs.
struct MemoryPlan: Sendable {
    /// Where it is kept.
    let folder: FileName
    /// Whether what is remembered of the songs that are played is removed, and not used.
    let forgets: Bool
    /// The addresses whose values the options, or a session, have given: these win.
    let given: Set<String>
    /// The mix that the user's configuration asks for: what is as there is not remembered.
    let configured: MixPlan
}
