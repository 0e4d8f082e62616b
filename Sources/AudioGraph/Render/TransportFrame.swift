/// Values that stand in place of a transport's frame. Plain numbers, since atomic values hold them.
enum TransportFrame {
    /// The graph follows no transport.
    static var free: Int64 { @_noLocks get { .min } }
    /// The transport stands still.
    static var stopped: Int64 { @_noLocks get { .max } }
}
