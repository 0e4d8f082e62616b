/// How what is rendered comes to the ear.
struct Ear {
    /// Whether the server makes cycles.
    var hears: Bool
    /// Frames in a cycle.
    var period: Int
    /// Seconds from a cycle until its last frame is heard, on the longest way.
    var delay: Double
}
