import CJack
import SystemSupport

/// The libjack that this process has loaded.
public enum Libjack {
    /// Whether it is PipeWire's, which says so in its version.
    public static var isPipeWire: Bool { version.contains("PipeWire") }

    /// As the library says it.
    public static var version: String {
        guard let text = unsafe jack_get_version_string() else { return "" }
        return unsafe String(cString: text)
    }

    /// The server's name that is meant when none is given: `JACK_DEFAULT_SERVER`, else `default`.
    public static var defaultServer: String {
        environmentValue("JACK_DEFAULT_SERVER") ?? "default"
    }
}
