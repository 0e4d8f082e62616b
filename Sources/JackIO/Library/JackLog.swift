import CJack
import SystemSupport

/// Where libjack's own messages go: nowhere by default, and never to the screen.
public enum JackLog {
    private static let sink = Guarded<(@Sendable (String) -> Void)?>(nil)

    /// Sends every message of libjack to `sink` from now on; nil drops them. libjack has one
    /// message function for the whole process, so this holds for all clients. The sink is called
    /// on any thread but never by this module's own realtime code, and must not call libjack.
    public static func send(to sink: (@Sendable (String) -> Void)?) {
        Self.sink.withLock { $0 = sink }
        install()
    }

    /// Keeps libjack's messages off the screen. To be called before any other function of libjack.
    static func install() {
        unsafe jack_set_error_function(duetJackLog)
        unsafe jack_set_info_function(duetJackLog)
    }

    static func receive(_ line: String) {
        let sink = Self.sink.withLock { $0 }
        sink?(line)
    }
}

/// The message function given to libjack, which calls it on any of its threads.
@c(duet_jack_log)
nonisolated func duetJackLog(_ line: UnsafePointer<CChar>?) {
    guard let line = unsafe line else { return }
    JackLog.receive(unsafe String(cString: line))
}
