import CJack
import SystemSupport

/// The libjack that this process has loaded.
public enum Libjack {
    /// Whether this is PipeWire's libjack, whose version text contains “PipeWire”.
    public static var isPipeWire: Bool { version.contains("PipeWire") }

    /// The version text of the library; empty when it gives none.
    public static var version: String {
        guard let text = unsafe jack_get_version_string() else { return "" }
        return unsafe String(cString: text)
    }

    /// The name of the server to use when none is given: `JACK_DEFAULT_SERVER`, else `default`.
    public static var defaultServer: String {
        environmentValue("JACK_DEFAULT_SERVER") ?? "default"
    }
}
