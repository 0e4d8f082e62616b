/// Others who see what singers see of a run.
protocol ScreenAudience: AnyObject {
    /// Whether anybody does now.
    var isPresent: Bool { get }
    /// Shows them the screen.
    func show(_ screen: ScreenState)
}
