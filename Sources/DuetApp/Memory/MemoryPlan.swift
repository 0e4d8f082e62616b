import AudioMedia

/// How a run remembers what users change of songs.
struct MemoryPlan: Sendable {
    /// Where it is kept.
    let folder: FileName
    /// Whether what is remembered of the songs that are played is removed, and not used.
    let forgets: Bool
}
