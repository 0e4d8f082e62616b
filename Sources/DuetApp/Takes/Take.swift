import AudioMedia
import JackIO

/// What `take.json` says of a take: how song and voice lie to each other, and what was done to them
/// while they were recorded.
///
/// Frames are counted from the take's first, at its rate. A voice's file begins with frame 0; the files
/// of song and mix begin with `lead` frames of silence. So what was sung on a beat lies on it.
struct Take: Sendable, Equatable {
    /// A song that was heard.
    struct Song: Sendable, Equatable {
        var bus = 0
        /// A file's path, or an address without user name, password, and what follows a `?`.
        var address = ""
        var title: String?
        /// When it was first heard in this take.
        var frame: Int64 = 0
        /// Where in the song that was, in seconds.
        var place = 0.0
        /// The first frame in which it was not heard any more; nil: it was heard until the next one or the end,
        /// or an older version did not say.
        var end: Int64?
    }

    /// A value that was changed. `frame` is the first that it held in, as far as the graph says
    /// (`MixGraph.set`).
    struct Change: Sendable, Equatable {
        var frame: Int64
        var parameter: MixParameter
        var value: Double
    }

    /// A microphone was turned down because of feedback, or no longer, from `frame` on.
    struct Hold: Sendable, Equatable {
        var frame: Int64
        /// That of the microphone.
        var bus: Int
        var isHeld: Bool
    }

    /// Why what was heard cannot be repeated to the bit, beside gaps and what sounded before the take.
    enum Difference: String, Sendable, CaseIterable {
        /// Its late frames come from a thread.
        case voiceProcessing = "voice-processing"
        /// A place around the head was only louder on one side until a thread had read them.
        case headResponses = "head-responses"
        /// There were more changes than are kept, each in its frame.
        case changes
        /// One that only a later version knows.
        case unknown
    }

    /// Frames that are silent in all files, since the disk did not take them in time.
    struct Gap: Sendable, Equatable {
        var frame: Int64
        var count: Int64
    }

    /// False while it is recorded, and after a crash.
    var isComplete = false
    /// As `2026-11-27T20:15:00Z`.
    var started = ""
    /// The versions of what recorded it.
    var program = ""
    var library = ""
    var server = ""
    /// Frames a second, in Hz.
    var rate = 48_000
    /// Frames of a cycle.
    var period = 0
    /// Frames of the voices.
    var frames: Int64 = 0
    /// Which frame of its graph the take's first was; 0: it began with the run. Nil: an older version,
    /// whose changes have no exact frames, did not say.
    var firstFrame: Int64?
    var differences: Set<Difference> = []
    /// Of a frame of the song, as it leaves its source, to the voice that sings to it: the round trip, and
    /// what the graph adds before it.
    var lead = 0
    var leadSource = RoundTrip.Source.unknown
    /// By how many seconds the voices are moved by ear: later when positive.
    var offset = 0.0
    var capture = LatencyRange.zero
    var playback = LatencyRange.zero
    /// What was mixed, at frame 0.
    var mix = MixPlan()
    /// In their order.
    var changes: [Change] = []
    var songs: [Song] = []
    var holds: [Hold] = []
    var gaps: [Gap] = []

    /// The values at `/take/offset`, in seconds.
    static let offsets = ValueKind.takeOffset.range
    /// The largest file that is read, in bytes.
    static let largest = 16 << 20
    /// The file's name in the take's folder.
    static let fileName = "take.json"
    /// The name of the member with `offset`.
    static let offsetName = "offset"

    /// The most frames of silence that a take begins with, at `rate` Hz.
    static func longestLead(rate: Int) -> Int { RoundTrip.longest * rate }

    /// The sound files that takes have.
    static let allFiles =
        ["song.wav"] + Microphone.all.map(\.file) + ["second.wav", "mix.wav"]

    /// The sound files of a take, in the order of the recorder's buses.
    static func files(of second: MixPlan.Second) -> [(name: String, channelCount: Int)] {
        let others: [(String, Int)] =
            switch second {
            case .nothing: []
            case .mic, .mics: Array(zip(Microphone.all.map(\.file), second.microphones))
            case .song: [("second.wav", 2)]
            }
        return [("song.wav", 2)] + others + [("mix.wav", 2)]
    }
}

// MARK: As text

extension Take {
    private static let format = "duet take"
    private static let version: Int64 = 1
    private static let frameRange: ClosedRange<Int64> = 0...(1 << 48)
    /// Frames.
    private static let longestLatency = 1 << 31

    /// The names of what plays beside the song.
    private static let seconds: [(name: String, second: MixPlan.Second)] = [
        ("none", .nothing), ("mic", .mic(channelCount: 1)), ("stereo-mic", .mic(channelCount: 2)),
        ("two-mics", .mics(2)), ("three-mics", .mics(3)), ("four-mics", .mics(4)),
        ("song", .song),
    ]

    /// The file's text, one fact a line.
    var text: String {
        func number(_ value: some BinaryInteger) -> JSONValue { .integer(Int64(value)) }
        // Any JACK client can claim any latency.
        func range(_ range: LatencyRange) -> JSONValue {
            let ends = [range.minimum, range.maximum].map { min(max(0, $0), Self.longestLatency) }
            return .array([number(ends.min() ?? 0), number(ends.max() ?? 0)])
        }
        let values = mix.vocabulary.parameters.filter { Self.keeps($0, mix[$0]) }
            .map { (name: $0.address, value: JSONValue.text($0.kind.spelling(mix[$0]))) }
        let facts: [(name: String, value: JSONValue)] = [
            ("format", .text(Self.format)), ("version", .integer(Self.version)),
            ("complete", .boolean(isComplete)), ("started", .text(started)),
            ("program", .text(program)), ("library", .text(library)), ("server", .text(server)),
            ("rate", number(rate)), ("period", number(period)), ("frames", number(frames)),
            ("firstFrame", firstFrame.map(number) ?? .null),
            ("notAsHeard", .array(differences.map(\.rawValue).sorted().map { .text($0) })),
            ("lead", number(lead)), ("leadFrom", .text(leadSource.rawValue)),
            (Self.offsetName, .number(offset)),
            ("captureLatency", range(capture)), ("playbackLatency", range(playback)),
            ("beside", .text(Self.seconds.first { $0.second == mix.second }?.name ?? "none")),
            (
                "files",
                .array(Self.files(of: mix.second).map { .text($0.name) })
            ),
        ]
        var lines = facts.map { "  \(JSONValue.text($0.name).encoded): \($0.value.encoded)" }
        func add(_ name: String, _ list: [String], _ brackets: (String, String)) {
            let body = list.isEmpty ? "" : "\n    " + list.joined(separator: ",\n    ") + "\n  "
            lines.append("  \"\(name)\": \(brackets.0)\(body)\(brackets.1)")
        }
        add(
            "songs",
            songs.map { song in
                JSONValue.object([
                    ("bus", number(song.bus)), ("address", .text(song.address)),
                    ("title", song.title.map { .text($0) } ?? .null),
                    ("frame", number(song.frame)), ("place", .number(song.place)),
                    ("end", song.end.map(number) ?? .null),
                ]).encoded
            }, ("[", "]"))
        add(
            "values",
            values.map { "\(JSONValue.text($0.name).encoded): \($0.value.encoded)" }, ("{", "}"))
        add(
            "changes",
            changes.filter { Self.keeps($0.parameter, $0.value) }.map { change in
                JSONValue.object([
                    ("frame", number(change.frame)), ("address", .text(change.parameter.address)),
                    ("value", .text(change.parameter.kind.spelling(change.value))),
                ]).encoded
            }, ("[", "]"))
        add(
            "holds",
            holds.map { hold in
                JSONValue.object([
                    ("frame", number(hold.frame)), ("bus", number(hold.bus)),
                    ("held", .boolean(hold.isHeld)),
                ]).encoded
            }, ("[", "]"))
        add(
            "gaps",
            gaps.map { gap in
                JSONValue.object([("frame", number(gap.frame)), ("count", number(gap.count))])
                    .encoded
            }, ("[", "]"))
        return "{\n" + lines.joined(separator: ",\n") + "\n}\n"
    }

    /// Whether a value has a name that means the same later. A preset whose values were changed has none,
    /// and users may change or remove one that they have saved. What it sets is kept as values.
    private static func keeps(_ parameter: MixParameter, _ value: Double) -> Bool {
        guard case .preset(let preset) = parameter.unit else { return true }
        return value != ValueKind.own && !preset.isOwn(Int(value))
    }

    /// Why a file is no take, for people.
    struct Malformed: Error, Equatable {
        let reason: String
        var isOfLaterVersion = false
    }

    /// Reads a file that people may have changed. Addresses and members of later versions are left out.
    init(bytes: [UInt8]) throws(Malformed) {
        let json: JSONValue
        do { json = try JSONText.read(bytes) } catch { throw Malformed(reason: error.reason) }
        guard json["format"]?.text == Self.format else {
            throw Malformed(reason: "it is not of a take: \"format\" is not \"\(Self.format)\"")
        }
        guard let version = json["version"]?.count(in: 1...Int64.max) else {
            throw Malformed(reason: "it has no \"version\"")
        }
        guard version <= Self.version else {
            throw Malformed(
                reason: "it is of a later version of duet", isOfLaterVersion: true)
        }
        try self.init(json)
    }

    private init(_ json: JSONValue) throws(Malformed) {
        /// What is wrong is told by name; an optional member may be missing, and not be wrong.
        func wrong(_ name: String, _ use: String) -> Malformed {
            Malformed(reason: "\"\(name)\" must be \(use)")
        }
        func count(
            _ json: JSONValue, _ name: String, _ range: ClosedRange<Int64>
        ) throws(Malformed) -> Int64 {
            guard let value = json[name]?.count(in: range) else {
                throw wrong(name, "a whole number, \(range.lowerBound)…\(range.upperBound)")
            }
            return value
        }
        func list(_ name: String) throws(Malformed) -> [JSONValue] {
            guard let value = json[name], value != .null else { return [] }
            guard let list = value.array else { throw wrong(name, "a list") }
            return list
        }
        /// Only told: no take is refused for it.
        func range(_ name: String) -> LatencyRange {
            let list = json[name]?.array ?? []
            let frames = list.prefix(3).compactMap { $0.count(in: 0...Int64(Self.longestLatency)) }
            guard frames.count == 2, list.count == 2, frames[0] <= frames[1] else { return .zero }
            return LatencyRange(minimum: Int(frames[0]), maximum: Int(frames[1]))
        }
        self.init()
        isComplete = json["complete"] == .boolean(true)
        started = json["started"]?.text ?? ""
        program = json["program"]?.text ?? ""
        library = json["library"]?.text ?? ""
        server = json["server"]?.text ?? ""
        rate = Int(try count(json, "rate", 1000...1_000_000))
        period = Int(try count(json, "period", 0...(1 << 20)))
        frames = try count(json, "frames", Self.frameRange)
        if let first = json["firstFrame"], first != .null {
            firstFrame = try count(json, "firstFrame", Self.frameRange)
        }
        differences = Set(
            try list("notAsHeard").map { $0.text.flatMap(Difference.init) ?? .unknown })
        lead = Int(try count(json, "lead", 0...Int64(Self.longestLead(rate: rate))))
        leadSource = json["leadFrom"]?.text.flatMap(RoundTrip.Source.init) ?? .unknown
        if let value = json[Self.offsetName] {
            guard let number = value.number, Self.offsets.contains(number) else {
                throw wrong(Self.offsetName, "a number of seconds, -1…1")
            }
            offset = number
        }
        (capture, playback) = (range("captureLatency"), range("playbackLatency"))
        guard let second = Self.seconds.first(where: { $0.name == json["beside"]?.text }) else {
            throw wrong("beside", Self.seconds.map { "\"\($0.name)\"" }.listed("or"))
        }
        mix = MixPlan(second: second.second)
        mix.guardsFeedback = !second.second.microphones.isEmpty
        let vocabulary = mix.vocabulary
        /// Nil: a preset that is not known, or not kept. The values that it has set are there, too.
        func value(_ parameter: MixParameter, _ json: JSONValue?) throws(Malformed) -> Double? {
            if let text = json?.text, let value = try? parameter.kind.read(text) {
                return Self.keeps(parameter, value) ? value : nil
            }
            if case .preset = parameter.unit { return nil }
            throw wrong(parameter.address, parameter.kind.rangeText + ", as a text")
        }
        let members = json["values"]?.members ?? []
        let values = Dictionary(members.map { ($0.name, $0.value) }) { $1 }
        // In the order in which presets come before what they set.
        for parameter in vocabulary.parameters {
            guard let json = values[parameter.address], let value = try value(parameter, json)
            else { continue }
            mix[parameter] = value
        }
        for each in try list("changes") {
            let frame = try count(each, "frame", Self.frameRange)
            guard let address = each["address"]?.text else { throw wrong("address", "a text") }
            guard let parameter = vocabulary.parameter(address),
                let value = try value(parameter, each["value"])
            else { continue }
            changes.append(Change(frame: frame, parameter: parameter, value: value))
        }
        changes = changes.enumerated().sorted {
            ($0.element.frame, $0.offset) < ($1.element.frame, $1.offset)
        }
        .map(\.element)
        for each in try list("songs") {
            songs.append(
                Song(
                    bus: Int(try count(each, "bus", 0...1)), address: each["address"]?.text ?? "",
                    title: each["title"]?.text,
                    frame: try count(each, "frame", Self.frameRange),
                    place: each["place"]?.number ?? 0,
                    end: each["end"]?.count(in: Self.frameRange)))
        }
        for each in try list("holds") {
            holds.append(
                Hold(
                    frame: try count(each, "frame", Self.frameRange),
                    bus: Int(try count(each, "bus", 1...Int64(Microphone.all.count))),
                    isHeld: each["held"] == .boolean(true)))
        }
        for each in try list("gaps") {
            gaps.append(
                Gap(
                    frame: try count(each, "frame", Self.frameRange),
                    count: try count(each, "count", Self.frameRange)))
        }
    }
}
