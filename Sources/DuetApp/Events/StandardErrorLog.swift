import JackIO
import Logging
import SystemSupport

/// Log lines on standard error; on a terminal above the status line.
struct StandardErrorLog: LogHandler {
    var logLevel: Logger.Level
    var metadata: Logger.Metadata = [:]
    var metadataProvider: Logger.MetadataProvider?

    private let label: String

    /// A handler that writes lines of `level` and above.
    init(label: String, level: Logger.Level) {
        self.label = label
        logLevel = level
    }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        let message = SafeText.withoutCredentials(event.message.description)
        Output.error.write("\(fixedTime) \(event.level) \(label): \(message)\n")
    }

    private var fixedTime: String { JSONValue.number(Clock.seconds).encoded }

    /// From now on sends all logs of `level` and above, libjack's included, to standard error; with
    /// nil nothing is logged.
    static func install(level: Logger.Level?) {
        if level != nil {
            JackLog.send { line in Logger(label: "libjack").info("\(line)") }
        }
        LoggingSystem.bootstrap { label in
            guard let level else { return SwiftLogNoOpLogHandler() }
            return StandardErrorLog(label: label, level: level)
        }
    }
}
