/// The flags of a render callback.
public enum RenderFlags {
    /// An effect's input is silent, or what was rendered is: whoever sets it need not write zeros.
    public static var isSilent: UInt32 { @_noLocks get { 1 } }
    /// The unit has not rendered yet; for callbacks that look on.
    public static var isBefore: UInt32 { @_noLocks get { 2 } }
    /// The unit has rendered; for callbacks that look on.
    public static var isAfter: UInt32 { @_noLocks get { 4 } }
}
