import CRealtime

/// A C function that renders: a source's, an effect's, or one that only looks on.
///
/// Its arguments: the context that was given with it; flags, to be read and set; the graph's frame
/// of the first sample; the host's time in nanoseconds (CLOCK_MONOTONIC); the bus that is rendered;
/// how many frames (1…256); how many channels (1…8); a buffer of that many samples for each channel.
/// It returns 0, or an error of its own: then the unit is silent for these frames, and tells the
/// error (`CallbackErrors`).
///
/// The function runs on the render thread: it must not allocate, lock, wait, or use reference
/// counts. Declared `@c @_noLocks`, that is proven where it is written.
public typealias RenderCallback =
    @convention(c) (
        _ context: UnsafeMutableRawPointer?, _ flags: UnsafeMutablePointer<UInt32>?, _ frame: Int64,
        _ hostTime: UInt64, _ bus: Int32, _ frames: Int32, _ channelCount: Int32,
        _ buffers: UnsafePointer<UnsafeMutablePointer<Float>?>?
    ) -> Int32

/// The errors that a unit's callbacks have returned.
public struct CallbackErrors: Sendable, Hashable {
    /// How many.
    public let count: Int
    /// The last one; 0 when there was none.
    public let last: Int32

    public init(count: Int, last: Int32) {
        self.count = count
        self.last = last
    }
}

/// The flags of a render callback.
public enum RenderFlags {
    /// An effect's input is silent, or what was rendered is: whoever sets it need not write zeros.
    public static var isSilent: UInt32 { @_noLocks get { 1 } }
    /// The unit has not rendered yet; for callbacks that look on.
    public static var isBefore: UInt32 { @_noLocks get { 2 } }
    /// The unit has rendered; for callbacks that look on.
    public static var isAfter: UInt32 { @_noLocks get { 4 } }
}
