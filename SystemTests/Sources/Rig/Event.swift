/// An event that `duet --json` writes: one type for each name, with the fields that docs/interface.md
/// promises. A field that the page does not mark with `?` must be there.
public protocol Event: Decodable, Sendable {
    /// The value of the field `event`.
    static var name: String { get }
    /// Seconds since the program's start.
    var time: Double { get }
}

/// The events of docs/interface.md, in its order.
public enum Events {
    /// All of them.
    public static let all: [any Event.Type] = [
        Ready.self, Latency.self, Period.self, Rate.self, Opening.self, Source.self, Stems.self,
        Backing.self, Tags.self, NowPlaying.self, Words.self, WordsFetch.self, Playing.self,
        Paused.self, Seeked.self, Position.self, Levels.self, Loudness.self,
        Lyrics.self, Picture.self, Title.self, List.self,
        Remembered.self, Parameter.self, Effects.self, Underrun.self, Recovered.self,
        Reconnecting.self, Xrun.self, Server.self, Connected.self, Disconnected.self, Warning.self,
        Failure.self, Ended.self, Take.self, Bye.self, Dropped.self, Snapshot.self,
    ]

    public struct Ready: Event {
        public static let name = "ready"
        public let time: Double
        public let client: String
        public let server: String
        public let rate: Int
        public let period: Int
        public let micLatencyFrames: Int
    }

    public struct Latency: Event {
        public static let name = "latency"
        public let time: Double
        public let captureFrames: Int
        public let playbackFrames: Int
        public let ms: Double
    }

    public struct Period: Event {
        public static let name = "period"
        public let time: Double
        public let frames: Int
    }

    public struct Rate: Event {
        public static let name = "rate"
        public let time: Double
        public let rate: Int
    }

    public struct Opening: Event {
        public static let name = "opening"
        public let time: Double
        public let bus: Int
        public let url: String
        public let waitsFor: String
    }

    public struct Source: Event {
        public static let name = "source"
        public let time: Double
        public let bus: Int
        public let url: String
        public let codec: String
        public let rate: Int
        public let channels: Int
        public let bitrate: Int
        public let duration: Double?
        public let seekable: Bool
        public let live: Bool
        public let gain: Double
        public let station: String?
        public let stems: String?
        public let stemsFrom: String?
    }

    public struct Stems: Event {
        public static let name = "stems"
        public let time: Double
        public let bus: Int
        public let stems: String?
        public let reason: String?
    }

    public struct Backing: Event {
        public static let name = "backing"
        public let time: Double
        public let bus: Int
        public let url, state: String
        public let progress: Double?
        public let folder, reason: String?
    }

    public struct Tags: Event {
        public static let name = "tags"
        public let time: Double
        public let bus: Int
        public let title: String?
        public let artist: String?
        public let album: String?
        public let lyrics: String?
    }

    public struct NowPlaying: Event {
        public static let name = "nowPlaying"
        public let time: Double
        public let bus: Int
        public let url, title, artist, album: String?
        public let duration: Double?
        public let station: String?
        public let live: Bool
    }

    public struct Words: Event {
        public static let name = "words"
        public let time: Double
        public let bus: Int
        public let timed, cut: Bool
        public let lines: [Line]
        public let singers: [String: String]

        public struct Line: Decodable, Sendable {
            public let text: String
            public let seconds, length: Double?
            public let singer, translation: String?
            public let words: [Word]
        }

        public struct Word: Decodable, Sendable {
            public let text: String
            public let delay: Double
        }
    }

    public struct WordsFetch: Event {
        public static let name = "wordsFetch"
        public let time: Double
        public let bus: Int
        public let state, title, server: String
        public let artist, detail, file, reason: String?
        public let choices: [Choice]

        public struct Choice: Decodable, Sendable {
            public let title, artist, album: String
            public let duration: Double?
            public let detail: String?
        }
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
        public let duration: Double?
        public let buffered: Double
        public let exact: Bool
    }

    public struct Levels: Event {
        public static let name = "levels"
        public let time: Double
        public let song: Level
        public let mic: Level?
        public let mic2: Level?
        public let mic3: Level?
        public let mic4: Level?
        public let out: Level
        public let loudness: Loudness

        /// Of the output, in LUFS and dBTP; nil: not known yet, or too quiet.
        public struct Loudness: Decodable, Sendable {
            public let momentary: Double?
            public let shortTerm: Double?
            public let integrated: Double?
            public let truePeak: Double?
        }

        /// In dBFS, left and right.
        public struct Level: Decodable, Sendable {
            public let peak: [Double]
            public let rms: [Double]
        }
    }

    public struct Loudness: Event {
        public static let name = "loudness"
        public let time: Double
        public let integrated: Double?
        public let truePeak: Double?
        public let gain: Double
    }

    public struct Lyrics: Event {
        public static let name = "lyrics"
        public let time: Double
        public let bus: Int
        public let line: String?
        public let word: String?
        public let lineNumber: Int?
        public let wordNumber: Int?
        public let singer: String?
        public let singerName: String?
        public let translation: String?
        public let seconds: Double
    }

    public struct Picture: Event {
        public static let name = "picture"
        public let time: Double
        public let bus: Int
        public let duration: Double
    }

    public struct Title: Event {
        public static let name = "title"
        public let time: Double
        public let bus: Int
        public let text: String
    }

    public struct List: Event {
        public static let name = "list"
        public let time: Double
        public let bus: Int
        public let count: Int
        public let playing: Int?
        public let first: Int
        public let songs: [Song]

        public struct Song: Decodable, Sendable {
            public let url: String
            public let title: String?
            public let artist: String?
            public let singer: String?
            /// In seconds.
            public let duration: Double?
            public let state: String
            public let reason: String?
        }
    }

    /// A value of the mix, in `parameter` and `remembered`.
    public struct Value: Decodable, Sendable, Equatable {
        public let address: String
        /// Of a switch 1 or 0; NaN of a choice and of `null`, of which `text` tells.
        @Number public var value: Double
        public let text: String
    }

    /// A value of any kind as a number.
    @propertyWrapper public struct Number: Decodable, Sendable, Equatable {
        public var wrappedValue: Double

        public init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            if let number = try? container.decode(Double.self) {
                wrappedValue = number
            } else {
                wrappedValue = (try? container.decode(Bool.self)).map { $0 ? 1 : 0 } ?? .nan
            }
        }
    }

    public struct Remembered: Event {
        public static let name = "remembered"
        public let time: Double
        public let bus: Int
        public let url: String
        public let singer: String?
        public let values: [Value]
    }

    public struct Parameter: Event {
        public static let name = "parameter"
        public let time: Double
        public let address: String
        /// As in `Value`.
        @Number public var value: Double
        public let text: String
    }

    public struct Effects: Event {
        public static let name = "effects"
        public let time: Double
        public let bus: Int
        public let frame: Int
        public let key: Double
        public let tempo: Double
        public let varispeed: Double
        public let vocals: Vocals

        public struct Vocals: Decodable, Sendable {
            public let remove: Double
            public let mode: String
            public let at: Double
            public let only: Bool
        }
    }

    public struct Underrun: Event {
        public static let name = "underrun"
        public let time: Double
        public let bus: Int
        public let frames: Int
    }

    public struct Recovered: Event {
        public static let name = "recovered"
        public let time: Double
        public let bus: Int
        public let seconds: Double
    }

    public struct Reconnecting: Event {
        public static let name = "reconnecting"
        public let time: Double
        public let bus: Int
        public let attempt: Int
        public let reason: String
        public let delay: Double
    }

    public struct Xrun: Event {
        public static let name = "xrun"
        public let time: Double
        public let count: Int
        public let microseconds: Double
    }

    public struct Server: Event {
        public static let name = "server"
        public let time: Double
        public let state: String
        public let rate: Int?
        public let period: Int?
    }

    public struct Connected: Event {
        public static let name = "connected"
        public let time: Double
        public let from: String
        public let to: String
    }

    public struct Disconnected: Event {
        public static let name = "disconnected"
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

    public struct Take: Event {
        public static let name = "take"
        public let time: Double
        public let state: String
        public let folder: String?
        public let lead: Int?
        public let leadFrom: String?
        public let seconds: Double?
        public let reason: String?
    }

    public struct Bye: Event {
        public static let name = "bye"
        public let time: Double
        public let frames: Int
        public let xruns: Int
        public let underruns: Int
    }

    public struct Dropped: Event {
        public static let name = "dropped"
        public let time: Double
        public let events: Int
    }

    /// Only on a control socket.
    public struct Snapshot: Event {
        public static let name = "snapshot"
        public let time: Double
        public let server: String
        public let nowPlaying, words, list: Part
        public let lyrics, position: Part?
        public let values: [String: Number]

        /// Some fields of the event of that name.
        public struct Part: Decodable, Sendable {
            public let title, line: String?
            public let lines: [Words.Line]?
            public let count: Int?
            public let seconds: Double?
        }
    }
}

extension Sequence where Element == any Event {
    /// Those of one kind.
    public func all<Kind: Event>(_: Kind.Type) -> [Kind] { compactMap { $0 as? Kind } }

    /// The newest value of a parameter; nil: none was told.
    public func value(of address: String) -> Events.Parameter? {
        all(Events.Parameter.self).last { $0.address == address }
    }
}

extension Event {
    public var name: String { Self.name }
}
