/// What a queue player tells, on its own thread.
public enum QueueEvent: Sendable {
    /// A buffer was given back: its last frame was taken to be played, or it was dropped.
    case finished(AudioBuffer, wasPlayed: Bool)
    /// The player has begun to run, or has ended: stopped, or all of the queue was played.
    case running(Bool)
}
