/// Ends the program with `message`, also in a release build, unless `condition` holds: for mistakes of
/// the one who calls. Control thread.
package func require(_ condition: Bool, _ message: @autoclosure () -> String) {
    if !condition { fatalError(message()) }
}
