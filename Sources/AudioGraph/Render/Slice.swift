/// The most frames that a plan renders at once, whatever the driver's cycles are.
var longestSlice: Int { @_noLocks get { 256 } }

/// The part of a cycle that a plan renders at once: at most `Graph.sliceFrames`.
@unsafe struct Slice {
    /// The driver's channels, for the whole cycle.
    let inputs: UnsafePointer<UnsafeMutablePointer<Float>>
    let outputs: UnsafePointer<UnsafeMutablePointer<Float>>
    /// Where in the cycle the slice begins.
    let offset: Int
    let count: Int
    /// Frames that the graph rendered before the slice.
    let frame: Int
    /// The transport's frame at the slice's first frame, or a value of `TransportFrame`.
    let transport: Int64
    /// Whether every kernel begins anew: ramps at their ends, nothing that sounds on, meters empty.
    let isReset: Bool

    // Written out, since the implicit initialiser is not `@_noLocks`.
    @_noLocks init(
        inputs: UnsafePointer<UnsafeMutablePointer<Float>>,
        outputs: UnsafePointer<UnsafeMutablePointer<Float>>, offset: Int, count: Int,
        frame: Int, transport: Int64, isReset: Bool
    ) {
        unsafe self.inputs = inputs
        unsafe self.outputs = outputs
        unsafe self.offset = offset
        unsafe self.count = count
        unsafe self.frame = frame
        unsafe self.transport = transport
        unsafe self.isReset = isReset
    }
}
