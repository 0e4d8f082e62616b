/// An event that `duet --json` writes: one type for each name, with the fields that docs/interface.md
/// promises. A field that the page does not call `null` must be there.
public protocol Event: Decodable, Sendable {
    /// The value of the field `event`.
    static var name: String { get }
    /// Seconds since the program's start.
    var time: Double { get }
}

/// The events of docs/interface.md, in its order.
public enum Events {
    public struct Ready: Event {
        public static let name = "ready"
        public let time: Double
        public let client: String
        public let server: String
        public let rate: Int
        public let period: Int
        public let micLatencyFrames: Int?
    }

    public struct Source: Event {
        public static let name = "source"
        public let time: Double
        public let bus: Int
        public let url: String
        public let codec: String
        public let rate: Int
        public let channels: Int
        public let duration: Double?
        public let seekable: Bool
        public let live: Bool
    }

    public struct Tags: Event {
        public static let name = "tags"
        public let time: Double
        public let bus: Int
        public let title: String?
        public let artist: String?
    }

    public struct Playing: Event {
        public static let name = "playing"
        public let time: Double
        public let bus: Int
    }

    public struct Paused: Event {
        public static let name = "paused"
        public let time: Double
        public let bus: Int
    }

    public struct Seeked: Event {
        public static let name = "seeked"
        public let time: Double
        public let bus: Int
        public let seconds: Double
    }

    public struct Position: Event {
        public static let name = "position"
        public let time: Double
        public let bus: Int
        public let seconds: Double
    }

    public struct List: Event {
        public static let name = "list"
        public let time: Double
        public let count: Int
        public let playing: Int?
        public let songs: [Song]

        public struct Song: Decodable, Sendable {
            public let url: String
            public let title: String?
        }
    }

    /// A value of the mix, in `parameter` and `remembered`.
    public struct Value: Decodable, Sendable, Equatable {
        public let address: String
        public let value: Double
        public let text: String
    }

    public struct Remembered: Event {
        public static let name = "remembered"
        public let time: Double
        public let bus: Int
        public let url: String
        public let values: [Value]
    }

    public struct Parameter: Event {
        public static let name = "parameter"
        public let time: Double
        public let address: String
        public let value: Double
        public let text: String
    }

    public struct Server: Event {
        public static let name = "server"
        public let time: Double
        public let state: String
    }

    public struct Connected: Event {
        public static let name = "connected"
        public let time: Double
        public let from: String
        public let to: String
    }

    public struct Warning: Event {
        public static let name = "warning"
        public let time: Double
        public let message: String
    }

    public struct Failure: Event {
        public static let name = "error"
        public let time: Double
        public let code: Int
        public let message: String
        public let hint: String
    }

    public struct Ended: Event {
        public static let name = "ended"
        public let time: Double
        public let bus: Int
        public let frames: Int
    }

    public struct Bye: Event {
        public static let name = "bye"
        public let time: Double
        public let frames: Int
        public let xruns: Int
        public let underruns: Int
    }
}
