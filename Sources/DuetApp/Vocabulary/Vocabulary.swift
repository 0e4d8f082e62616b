import AudioGraph
import AudioMedia

/// Everything that can be changed, by its address.
struct Vocabulary: Sendable {
    /// What stands at an address.
    enum Entry: Sendable {
        case parameter(MixParameter)
        case state(RunState, ValueKind)
        case trigger(Trigger)
        case page(Page)

        var address: String {
            switch self {
            case .parameter(let parameter): parameter.address
            case .state(let state, _): state.rawValue
            case .trigger(let trigger): trigger.rawValue
            case .page(let page): page.rawValue
            }
        }

        /// What a trigger does, in a few words; empty if there is a value.
        var summary: String {
            switch self {
            case .parameter, .state: ""
            case .trigger(let trigger): "trigger: \(trigger.summary)"
            case .page(let page): "trigger: show or hide \(page.summary)"
            }
        }

        /// Nil for a trigger or a page.
        var kind: ValueKind? {
            switch self {
            case .parameter(let parameter): parameter.kind
            case .state(_, let kind): kind
            case .trigger, .page: nil
            }
        }
    }

    /// In the order in which they are listed.
    let entries: [Entry]
    private let places: [String: Int]

    /// All addresses that any command has.
    static let all = Vocabulary(strips: Strip.all)

    /// The addresses of a mix that has `strips`.
    init(strips: [Strip]) {
        var names: [String] = []
        for strip in strips where strip.unit == .mixer && !names.contains(strip.name) {
            names.append(strip.name)
        }
        entries =
            strips.flatMap(\.parameters).map(Entry.parameter)
            + RunState.allCases.map { .state($0, $0.kind(strips: names)) }
            + Trigger.allCases.filter { $0.strip.map(names.contains) ?? true }
            .map(Entry.trigger) + Page.allCases.map(Entry.page)
        places = Dictionary(
            uniqueKeysWithValues: entries.enumerated().map { ($1.address, $0) })
    }

    /// What stands at `address`; a refusal names the nearest addresses.
    func entry(_ address: String) throws(Refusal) -> Entry {
        if let place = places[address] { return entries[place] }
        // Beyond this length nothing is near, and a comparison would take long.
        guard address.utf8.count <= 100 else { throw Refusal(reason: "no such address") }
        let missing = Microphone.all.filter { places["/\($0.name)/mute"] == nil }
        if let asked = missing.first(where: { $0.owns(address) }),
            missing.count < Microphone.all.count
        {
            let options = missing.prefix { $0.number <= asked.number }.map { "--\($0.option) PORT" }
            throw Refusal(
                reason: "no \(asked.title); start with \(options.joined(separator: " "))")
        }
        let beginning = entries.map(\.address).filter { address.count > 1 && $0.hasPrefix(address) }
        let near =
            beginning.isEmpty
            ? nearest(to: address, among: entries.map(\.address)) : Array(beginning.prefix(3))
        throw Refusal(
            reason: "no address \(address)"
                + (near.isEmpty ? "" : "; did you mean \(near.listed("or"))?"))
    }

    /// The parameter at `address`; nil where there is none.
    func parameter(_ address: String) -> MixParameter? {
        guard let place = places[address], case .parameter(let found) = entries[place] else {
            return nil
        }
        return found
    }

    /// All parameters of the mix.
    var parameters: [MixParameter] {
        entries.compactMap { if case .parameter(let found) = $0 { found } else { nil } }
    }
}

extension ValueKind {
    /// Of `RunState.takeOffset`.
    static let takeOffset = ValueKind(unit: .seconds, range: -1...1, defaultValue: 0)
    /// Of both ends of a loop.
    static let loopEnd = ValueKind(
        unit: .seconds, range: 0...SongTime.longest, defaultValue: ValueKind.off, mayBeOff: true,
        isPlace: true)
}

/// What has a value that belongs to the run and to no unit.
enum RunState: String, Sendable, CaseIterable {
    /// The strip that keys change.
    case strip = "/strip"
    /// Whether the songs play.
    case play = "/transport/play"
    /// Where in the song.
    case position = "/transport/position"
    /// Where the part of the song begins that is played over and over.
    case loopStart = "/transport/loop/a"
    /// Where it ends.
    case loopEnd = "/transport/loop/b"
    /// The number of the song that plays, in the list of songs.
    case listSong = "/list/song"
    /// The number of the song that is selected in the list.
    case listSelected = "/list/selected"
    /// Whether a take is recorded.
    case record = "/record"
    /// By how many seconds the voices of a take that is played come later than its song.
    case takeOffset = "/take/offset"

    fileprivate func kind(strips: [String]) -> ValueKind {
        switch self {
        case .strip:
            ValueKind(unit: .choice(strips), range: 0...Double(strips.count - 1), defaultValue: 0)
        case .play: ValueKind(unit: .switch, range: 0...1, defaultValue: 1)
        case .record: ValueKind(unit: .switch, range: 0...1, defaultValue: 0)
        case .takeOffset: .takeOffset
        case .position:
            ValueKind(
                unit: .seconds, range: 0...SongTime.longest, defaultValue: 0, isPlace: true)
        case .listSong, .listSelected:
            ValueKind(
                unit: .number, range: 1...Double(SongQueue.longestList), defaultValue: 1)
        case .loopStart, .loopEnd: .loopEnd
        }
    }
}

/// What happens when it is asked for, and has no value.
enum Trigger: String, Sendable, CaseIterable {
    /// To the next song, if there is one.
    case next = "/transport/next"
    /// To the song before, or to the start of the first.
    case previous = "/transport/previous"
    /// To the start of the present song.
    case restart = "/transport/restart"
    /// To the start of the line that is sung; again at once, of the line before.
    case repeatLine = "/lyrics/again"
    /// Fetch the words of the song.
    case fetchWords = "/lyrics/fetch"
    /// Mark the line, or the word, that is sung now.
    case tap = "/tap/mark"
    /// Mark that the line is over.
    case tapEnd = "/tap/end"
    /// Take the last mark back.
    case undoTap = "/tap/undo"
    /// Play at half the tempo, or again at the whole.
    case tapSlowly = "/tap/slow"
    /// Begin a loop here, end it here, or leave it: what comes next.
    case loop = "/transport/loop"
    /// Play the song that is selected in the list.
    case playSelected = "/list/play"
    /// Take it out of the list.
    case removeSelected = "/list/remove"
    /// Move it up by a place.
    case moveUp = "/list/up"
    /// Move it down by a place.
    case moveDown = "/list/down"
    /// Take the last change of the list back.
    case undoListChange = "/list/undo"
    /// Make the backing of the selected song, or give that up.
    case separate = "/list/separate"
    /// Type or paste the name of a song to add.
    case typeSong = "/list/type"
    /// Put the song and the voices on sides, then on the others, then in the centre; where the pans are
    /// anywhere else, mirror them.
    case swap = "/swap"
    /// End the hold of a microphone that fed back.
    case releaseMicrophone = "/mic/release"
    /// The same of the others.
    case releaseSecondMicrophone = "/mic2/release"
    case releaseThirdMicrophone = "/mic3/release"
    case releaseFourthMicrophone = "/mic4/release"
    /// Play the mix of the last take while the songs stand still, or go back to them.
    case playTake = "/take/play"
    /// Delete the take that is recorded, or the last one; asked for twice.
    case discardTake = "/take/discard"
    /// Return to the values of the start, or undo that.
    case reset = "/reset"
    /// Hide the page that is shown.
    case closePage = "/page/close"
    /// Show the words large, or the mixer.
    case changeView = "/view"
    /// Stop cleanly.
    case quit = "/quit"

    /// What it does, in a few words.
    fileprivate var summary: String {
        switch self {
        case .next: "next song"
        case .previous: "previous song"
        case .restart: "restart the song"
        case .repeatLine: "sing the line again"
        case .fetchWords: "fetch the song's words"
        case .tap: "mark the line or the word that is sung"
        case .tapEnd: "mark the end of the line"
        case .undoTap: "take the last mark back"
        case .tapSlowly: "half tempo, or the whole"
        case .loop: "start a loop, end it, then leave it"
        case .playSelected: "play the selected song"
        case .removeSelected: "remove the selected song"
        case .moveUp: "move the selected song up"
        case .moveDown: "move the selected song down"
        case .undoListChange: "undo the last change of the list"
        case .separate: "make the song's backing, or cancel that"
        case .typeSong: "type a song to add"
        case .swap: "swap the sides of song and voice"
        case .releaseMicrophone, .releaseSecondMicrophone, .releaseThirdMicrophone,
            .releaseFourthMicrophone:
            "restore a mic that feedback turned down"
        case .playTake: "play the last take, or go back to the song"
        case .discardTake: "delete the last take, if asked twice"
        case .reset: "reset all values, or undo that"
        case .closePage: "close the page"
        case .changeView: "show the words large, or the mixer"
        case .quit: "quit"
        }
    }

    /// The microphone whose hold it ends; nil: it does something else.
    var microphone: Microphone? { Microphone.all.first { $0.owns(rawValue) } }

    /// The strip without which there is no such trigger; nil: it is always there.
    fileprivate var strip: String? { microphone?.name }
}
