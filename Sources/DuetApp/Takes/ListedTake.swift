import AudioMedia
import Glibc
import SystemSupport

/// A take as it is listed: what is known of it, or what is wrong.
struct ListedTake: Sendable {
    let folder: FileName
    /// Nil where `take.json` cannot be read.
    private(set) var take: Take?
    /// Its length, in seconds.
    private(set) var seconds: Double?
    private(set) var problem: DuetError?

    /// Reads a take and the heads of its files. Blocks for as long as the disk takes.
    init(_ folder: FileName) {
        self.folder = folder
        do throws(DuetError) {
            let stored = try StoredTake(at: folder)
            let take = stored.take
            self.take = take
            seconds = Double(take.frames) / Double(take.rate)
            for file in Take.files(of: take.mix.second) {
                let head = try stored.head(of: file.name)
                // After a crash the files know more.
                guard file.name == "song.wav", !take.isComplete else { continue }
                seconds = Double(max(0, head.frameCount - Int64(take.lead))) / Double(take.rate)
            }
        } catch {
            problem = error
        }
    }

    /// The takes in a folder, the newest last; or the one that it is. Blocks for as long as the disk
    /// takes.
    ///
    /// - Parameter isGiven: whether a user named the folder, which is then to be there.
    static func all(in folder: FileName, isGiven: Bool) throws(DuetError) -> [ListedTake] {
        try folders(in: folder, isGiven: isGiven).map(ListedTake.init)
            .sorted { $0.order < $1.order }
    }

    /// The folders of these takes, in no order.
    static func folders(
        in folder: FileName, isGiven: Bool
    ) throws(DuetError) -> Set<FileName> {
        let own = folder + "/" + FileName(Take.fileName)
        if own.isThere { return [StoredTake.folder(of: folder)] }
        guard let list = opendir(folder.cString) else {
            let code = errno
            if code == ENOENT, !isGiven { return [] }
            throw DuetError(
                status: .noInput, attempt: "cannot list the takes in \(folder)",
                result: errorText(code), hint: "check the folder and your rights there")
        }
        closedir(list)
        let numbered = TakesFolder.takes(in: folder)
        // Users may rename them.
        let renamed = FolderNames.entries(of: folder, atMost: 100_000).map {
            folder + "/" + $0.name
        }
        .filter { ($0 + "/" + FileName(Take.fileName)).isThere }
        return Set(numbered + renamed)
    }

    /// By when it began, where that is known, else by the day in its name.
    private var order: (String, String) {
        let name = folder.last.description
        let start = take?.started ?? ""
        return (start.isEmpty ? name : start, name)
    }

    private var name: String { folder.last.description }

    /// The titles of its songs, as they may be shown, each once.
    private var titles: [String] {
        var titles: [String] = []
        for song in take?.songs ?? [] {
            let file = song.address.split(separator: "/").last.map(String.init) ?? ""
            let title = SafeText.clean(song.title ?? file)
            if !title.isEmpty, !titles.contains(title) { titles.append(title) }
        }
        return titles
    }

    private var voiceCount: Int { take?.mix.second.microphones.count ?? 0 }

    /// What is listed in a row: of one that cannot be read its name, and why.
    var cells: [String] {
        guard let take, let seconds else { return [name, problem?.line ?? ""] }
        let songs = titles.joined(separator: ", ")
        let state = take.isComplete ? "" : "unfinished: "
        let rest = problem.map { "\($0.line)" } ?? (state + (songs.isEmpty ? "no song" : songs))
        return [
            name, Self.localTime(take.started), ClockTime(seconds: seconds).description,
            voiceCount == 1 ? "1 voice" : "\(voiceCount) voices", rest,
        ]
    }

    var json: JSONValue {
        .object([
            ("name", .text(name)),
            ("path", .text(Location.file(folder.whole).name)),
            ("started", take.map { .text($0.started) } ?? .null),
            ("seconds", .optional(seconds)),
            ("voices", take == nil ? .null : .count(voiceCount)),
            ("songs", .array(titles.map { .text($0) })),
            ("complete", take.map { .boolean($0.isComplete) } ?? .null),
            ("problem", problem.map { .text($0.line) } ?? .null),
        ])
    }

    /// A time in Greenwich as it was here, to the minute; a text that is none as it may be shown.
    private static func localTime(_ text: String) -> String {
        // At most 65535 each: the library takes any of these.
        let numbers = text.split { "-T:Z".contains($0) }.compactMap { UInt16($0).map(Int32.init) }
        guard numbers.count == 6 else { return SafeText.clean(String(text.prefix(20))) }
        var (facts, local) = (tm(), tm())
        (facts.tm_year, facts.tm_mon, facts.tm_mday) = (
            numbers[0] - 1900, numbers[1] - 1, numbers[2]
        )
        (facts.tm_hour, facts.tm_min, facts.tm_sec) = (numbers[3], numbers[4], numbers[5])
        var seconds = timegm(&facts)
        localtime_r(&seconds, &local)
        var bytes = [CChar](repeating: 0, count: 64)
        let count = strftime(&bytes, bytes.count, "%Y-%m-%d %H:%M", &local)
        return String(decoding: bytes.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
