import AudioGraph
import AudioMedia
import Glibc
import JackIO

/// What a session keeps of a run, and how it is written: a line for each fact, its words parted by
/// tabs.
struct SessionState: Sendable, Equatable {
    /// A place in the songs of a bus.
    struct Place: Sendable, Equatable {
        var song = SongPlace()
        var seconds = 0.0
    }

    /// The text was not written by this program.
    struct Malformed: Error {
        /// The first line that is wrong, counted from 1; 0: there is no line.
        var line: Int
    }

    /// The songs of bus 0 and, with two songs at once, of bus 1.
    var songs: [[String]] = []
    /// Who sings which song of bus 0, by its number, from 0.
    var singers: [Int: String] = [:]
    /// The place in each list of songs.
    var places: [Place] = []
    /// The values of the mix for all songs that have none of their own.
    var mix = MixPlan()
    /// The values that the songs in `places` have of their own, by address.
    var songValues: [String: Double] = [:]
    var rules = PlaybackRules()
    /// The file or address of one song's lyrics; nil: none was named.
    var lyrics: String?
    /// The files that the same song was taken apart into; nil: none was named.
    var stems: StemFiles?
    /// The number of that song, from 0, in bus 0.
    var namedSong = 0
    /// The connections of the client, its own ports as `:port`.
    var wires: Set<JackWire> = []

    init() {}

    /// The same at the start of each song: when this differs, there is something to save. A place
    /// that only moves on within a song is nothing that a user would save.
    var withoutTime: SessionState {
        var state = self
        for bus in state.places.indices { state.places[bus].seconds = 0 }
        return state
    }

    /// The same for another process in another folder: files by their whole paths, and no standard
    /// input.
    var portable: SessionState {
        var state = self
        for (bus, list) in songs.enumerated() {
            let number = places[bus].song.song
            if list.indices.contains(number), list[number] == "-" {
                state.places[bus] = Place()
                state.songValues = songValues.filter { $0.key.hasPrefix("/second/") == (bus == 0) }
            }
            // How many songs before each of them, and before the end, are none of standard input.
            let counts = list.reduce(into: [0]) {
                $0.append($0[$0.count - 1] + ($1 == "-" ? 0 : 1))
            }
            state.places[bus].song.song = counts[min(max(0, number), list.count)]
            state.songs[bus] = list.filter { $0 != "-" }.map(Self.portable)
            guard bus == 0 else { continue }
            state.singers = [:]
            for (number, singer) in singers
            where list.indices.contains(number) && list[number] != "-" {
                state.singers[counts[number]] = singer
            }
            guard list.indices.contains(namedSong) else { continue }
            if list[namedSong] == "-" { (state.lyrics, state.stems) = (nil, nil) }
            state.namedSong = counts[namedSong]
        }
        state.lyrics = state.lyrics.map(Self.portable)
        state.stems = state.stems.map {
            StemFiles(instrumental: $0.instrumental?.whole, vocals: $0.vocals?.whole)
        }
        return state
    }

    /// A file's name by its whole path.
    private static func portable(_ name: String) -> String {
        guard let location = try? Location(name), case .file = location else { return name }
        return location.whole.name
    }
}

// MARK: As text

extension SessionState {
    private static let title = ["duet session", "1"]

    /// The state as text, to be read by `init(text:)`.
    var text: String {
        var lines = [Self.title]
        switch mix.second {
        case .nothing: break
        case .mic(let count): lines.append(["mic", "\(count)"])
        // Versions that know fewer microphones skip the lines of the others.
        case .mics(let count):
            lines.append(["mic", "1"])
            lines += Microphone.all.prefix(count).dropFirst().map { [$0.option] }
        case .song: lines.append(["second"])
        }
        for (bus, list) in songs.enumerated() {
            for song in list { lines.append(["song", "\(bus)", song]) }
        }
        for (number, singer) in singers.sorted(by: { $0.key < $1.key }) {
            lines.append(["singer", "\(number)", singer])
        }
        if let lyrics { lines.append(["lyrics", lyrics]) }
        if let file = stems?.instrumental { lines.append(["instrumental", file.name]) }
        if let file = stems?.vocals { lines.append(["vocals", file.name]) }
        if namedSong != 0, lyrics != nil || stems != nil {
            lines.append(["named-song", "\(namedSong)"])
        }
        for (bus, place) in places.enumerated() {
            lines.append([
                "place", "\(bus)", "\(place.song.song)", "\(place.song.part)", "\(place.seconds)",
            ])
        }
        for parameter in mix.vocabulary.parameters {
            // Of a preset that was changed all values are kept, and no name; nor that of one which users
            // have saved, and may remove.
            if case .preset(let preset) = parameter.unit,
                mix[parameter] == ValueKind.own || preset.isOwn(Int(mix[parameter]))
            {
                continue
            }
            let value = parameter.kind.spelling(mix[parameter])
            lines.append(["set", parameter.address, value])
        }
        for (address, value) in songValues.sorted(by: { $0.key < $1.key }) {
            guard let parameter = mix.vocabulary.parameter(address) else { continue }
            lines.append(["song-set", address, parameter.kind.spelling(value)])
        }
        if rules.loops { lines.append(["loop"]) }
        if rules.pausesBetween { lines.append(["between", "pause"]) }
        if rules.takesFairTurns { lines.append(["fair-turns"]) }
        if let stays = rules.stays { lines.append([stays ? "stay" : "no-stay"]) }
        if rules.transport != .none { lines.append(["transport", rules.transport.rawValue]) }
        if !rules.appliesGain { lines.append(["no-replay-gain"]) }
        if mix.hasDirectOutputs { lines.append(["direct-outs"]) }
        for wire in wires.sorted(by: { ($0.from, $0.to) < ($1.from, $1.to) }) {
            lines.append(["connection", wire.from, wire.to])
        }
        return lines.map { $0.map(Self.escaped).joined(separator: "\t") + "\n" }.joined()
    }

    /// Reads the text of a file, which any program may have changed; lines of later versions of
    /// this program are left out.
    init(text: String) throws(Malformed) {
        var number = 0
        var assignments: [Assignment] = []
        // By scalars: a carriage return and a line feed are a single character.
        for line in text.unicodeScalars.split(separator: "\n") {
            number += 1
            let words = line.split(separator: "\t", omittingEmptySubsequences: false)
                .map(Self.unescaped)
            if number == 1 {
                guard words == Self.title else { throw Malformed(line: 1) }
            } else {
                guard read(words, &assignments) else { throw Malformed(line: number) }
            }
        }
        let count = mix.second == .song ? 2 : 1
        guard number > 0, songs.count <= count, places.count <= count else {
            throw Malformed(line: number)
        }
        while songs.count < count { songs.append([]) }
        while places.count < count { places.append(Place()) }
        mix.guardsFeedback = !mix.second.microphones.isEmpty
        // Addresses that this mix has not are left out.
        for assignment in assignments { try? mix.set([assignment]) }
    }

    /// Reads one line; values of the mix, which may come before what it is made of, are added to
    /// `assignments`. Returns false where it is not as this program writes it.
    private mutating func read(_ words: [String], _ assignments: inout [Assignment]) -> Bool {
        /// Adds `text` as the value at `address`.
        func assign(_ address: String, _ text: String) -> Bool {
            guard let assignment = try? Assignment(address, text) else { return false }
            assignments.append(assignment)
            return true
        }
        if let more = Microphone.all.dropFirst().first(where: { $0.option == words[0] }) {
            mix.second = .mics(more.number)
            return words.count == 1
        }
        switch (words[0], words.count) {
        case ("mic", 2):
            guard let count = Int(words[1]), (1...2).contains(count) else { return false }
            mix.second = .mic(channelCount: count)
        case ("second", 1): mix.second = .song
        case ("song", 3):
            guard let bus = bus(words[1]), !words[2].isEmpty else { return false }
            while songs.count <= bus { songs.append([]) }
            songs[bus].append(words[2])
        case ("singer", 3):
            guard let number = Int(words[1]), number >= 0, let name = SingerName.read(words[2])
            else { return false }
            singers[number] = name
        case ("fair-turns", 1): rules.takesFairTurns = true
        case ("lyrics", 2):
            guard !words[1].isEmpty else { return false }
            lyrics = words[1]
        case ("named-song", 2):
            guard let song = Int(words[1]), song >= 0 else { return false }
            namedSong = song
        case ("instrumental", 2), ("vocals", 2):
            guard let file = try? Location(words[1]), case .file(let name) = file,
                !name.bytes.isEmpty
            else { return false }
            var files = stems ?? StemFiles()
            if words[0] == "vocals" { files.vocals = file } else { files.instrumental = file }
            stems = files
        case ("place", 5):
            guard bus(words[1]) == places.count, let song = Int(words[2]), song >= 0,
                let part = Int(words[3]), part >= 0, let seconds = Double(words[4]),
                (0...SongTime.longest).contains(seconds)
            else { return false }
            places.append(Place(song: SongPlace(song: song, part: part), seconds: seconds))
        case ("set", 3):
            // An address that a later version has is left out.
            guard Vocabulary.all.parameter(words[1]) != nil else { break }
            return assign(words[1], words[2])
        case ("song-set", 3):
            guard let parameter = Vocabulary.all.parameter(words[1]) else { break }
            guard let value = try? parameter.kind.read(words[2]) else { return false }
            songValues[parameter.address] = value
        // Up to version 0.2 values had lines of their own.
        case ("strip", 5):
            guard let bus = bus(words[1]), let mute = ["on": "off", "off": "on"][words[4]] else {
                return false
            }
            return (bus == 0 ? ["song"] : ["mic", "second"]).allSatisfy {
                assign("/\($0)/volume", words[2]) && assign("/\($0)/pan", words[3])
                    && assign("/\($0)/mute", mute)
            }
        case ("volume", 2): return assign("/out/volume", words[1])
        case ("pan-law", 2): return assign("/out/pan-law", words[1])
        case ("ceiling", 2):
            return words[1] == "none"
                ? assign("/out/limiter/bypass", "on") : assign("/out/limiter/ceiling", words[1])
        case ("loop", 1): rules.loops = true
        case ("between", 2):
            guard let between = BetweenSongs(rawValue: words[1]) else { return false }
            rules.between = between
        case ("stay", 1), ("no-stay", 1): rules.stays = words[0] == "stay"
        case ("transport", 2):
            guard let role = TransportRole(rawValue: words[1]) else { return false }
            rules.transport = role
        case ("direct-outs", 1): mix.hasDirectOutputs = true
        case ("no-replay-gain", 1): rules.appliesGain = false
        case ("connection", 3): wires.insert(JackWire(from: words[1], to: words[2]))
        // Lines with a name of this version, and not as this version writes them.
        case ("mic", _), ("second", _), ("song", _), ("singer", _), ("lyrics", _), ("place", _),
            ("instrumental", _), ("vocals", _), ("named-song", _), ("set", _), ("song-set", _),
            ("strip", _),
            ("volume", _), ("between", _), ("pan-law", _), ("ceiling", _), ("transport", _),
            ("connection", _):
            return false
        default: break
        }
        return true
    }

    private func bus(_ text: String) -> Int? { ["0": 0, "1": 1][text] }

    /// A word without the characters that part words and lines.
    private static func escaped(_ word: String) -> String {
        var result = String.UnicodeScalarView()
        for scalar in word.unicodeScalars {
            switch scalar {
            case "\\": result.append(contentsOf: "\\\\".unicodeScalars)
            case "\n": result.append(contentsOf: "\\n".unicodeScalars)
            case "\t": result.append(contentsOf: "\\t".unicodeScalars)
            default: result.append(scalar)
            }
        }
        return String(result)
    }

    private static func unescaped(_ word: String.UnicodeScalarView.SubSequence) -> String {
        var result = String.UnicodeScalarView()
        var isEscaped = false
        for scalar in word {
            switch (isEscaped, scalar) {
            case (false, "\\"):
                isEscaped = true
                continue
            case (true, "n"): result.append("\n")
            case (true, "t"): result.append("\t")
            default: result.append(scalar)
            }
            isEscaped = false
        }
        return String(result)
    }
}
