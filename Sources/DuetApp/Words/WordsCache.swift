import AudioMedia
import Glibc
import SystemSupport

/// Words that were fetched, and which songs a server has none of, or words that the user has timed: in a folder
/// of the user's, or beside the song.
///
/// All functions block for as long as the disk takes.
struct WordsCache: Sendable {
    /// Seconds for which it is believed that a server has no words.
    private static let patience = 7 * 86_400
    /// How the names of files end: words, and that there are none.
    private static let (endings, none) = ([".lrc", ".lyricsfile.yaml"], ".none")

    let folder: FileName
    /// The most files that are kept; of more those go that were written longest ago. Nil: all are kept.
    var most: Int? = 2000

    /// That of the user for words that were fetched; nil for one without a home.
    static let own = UserFolder.cache.map { WordsCache(folder: $0 + "/lyrics") }

    /// That for words that the user has timed.
    static let tapped = UserFolder.state.map { WordsCache(folder: $0 + "/lyrics", most: nil) }

    /// What is kept of a song.
    enum Kept: Sendable {
        case words(Lyrics, in: FileName)
        /// The server had none, so many days ago.
        case nothing(daysAgo: Int)
    }

    /// - Parameter server: which server is believed to have none.
    func kept(of song: SongQuestion, server: String) -> Kept? {
        for ending in Self.endings {
            let file = file(song, ending)
            guard let bytes = try? WholeFile.bytes(of: file, atMost: LyricsFile.maximumSize) else {
                continue
            }
            return .words(Lyrics(String(decoding: bytes, as: UTF8.self)), in: file)
        }
        let file = file(song, Self.none)
        var facts = stat()
        guard stat(file.cString, &facts) == 0,
            let text = try? WholeFile.bytes(of: file, atMost: 1000),
            text.elementsEqual((server + "\n").utf8)
        else { return nil }
        let age = time(nil) - facts.st_mtim.tv_sec
        // The clock of files is not quite this one; one that was wrong is no reason for never asking again.
        return (-60..<Self.patience).contains(age) ? .nothing(daysAgo: max(0, age) / 86_400) : nil
    }

    /// Keeps words. Returns their file, or what went wrong, for people.
    func keep(_ text: WordsRecord.Text, of song: SongQuestion) -> Result<FileName, Refusal> {
        let file = file(song, text.ending)
        if let problem = write(text.text, to: file) { return .failure(problem) }
        // Nothing less hides them.
        for ending in Self.endings + [Self.none] where ending != text.ending {
            unlink(self.file(song, ending).cString)
        }
        return .success(file)
    }

    /// Keeps that a server has no words of a song.
    func keepNothing(of song: SongQuestion, server: String) {
        _ = write(server + "\n", to: file(song, Self.none))
    }

    private func file(_ song: SongQuestion, _ ending: String) -> FileName {
        folder + FileName("/\(song.key)\(ending)")
    }

    private func write(_ text: String, to file: FileName) -> Refusal? {
        var code = UserFolder.make(folder)
        if code == 0 {
            code = WholeFile.replace(file, with: text, draft: file + FileName(".\(getpid())"))
        }
        guard code == 0 else { return Refusal(reason: "cannot write \(file): \(errorText(code))") }
        if let most { OldestFiles.remove(in: folder, keeping: most) { _ in true } }
        return nil
    }

    // MARK: Beside the song

    /// Puts words beside the file of a song, where no others are; nil where that cannot be.
    static func put(_ text: WordsRecord.Text, beside song: Location) -> FileName? {
        guard case .file(let path) = song, path.kind == S_IFREG,
            let dot = path.last.bytes.lastIndex(of: UInt8(ascii: ".")),
            case let stem = FileName(bytes: path.bytes.prefix(path.folder.bytes.count + dot)),
            case let file = stem + FileName(text.ending)
        else { return nil }
        // What was tapped begins with what stands there: that is not lost.
        if isTapped(file) { return text.isTapped && replace(file, with: text) == 0 ? file : nil }
        guard hasNoLyrics(song) else { return nil }
        let draft = draft(beside: file)
        guard WholeFile.replace(draft, with: text.text, draft: draft + ".new", mode: 0o644) == 0
        else { return nil }
        defer { unlink(draft.cString) }
        // Never in the place of a file. Where a disk has no links, the file is ours if we could make it.
        if link(draft.cString, file.cString) == 0 { return file }
        guard errno == EPERM || errno == EOPNOTSUPP else { return nil }
        let descriptor = open(file.cString, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else { return nil }
        close(descriptor)
        return rename(draft.cString, file.cString) == 0 ? file : nil
    }

    private static func draft(beside file: FileName) -> FileName {
        file.folder + FileName(".duet-words.\(getpid())")
    }

    /// Writes words in the place of those that were put there in this run. Returns 0, or an errno.
    static func replace(_ file: FileName, with text: WordsRecord.Text) -> Int32 {
        WholeFile.replace(file, with: text.text, draft: draft(beside: file), mode: 0o644)
    }

    /// Whether a file was written by tapping.
    private static func isTapped(_ file: FileName) -> Bool {
        let bytes = try? WholeFile.bytes(of: file, atMost: LyricsFile.maximumSize)
        return bytes?.starts(with: WordsRecord.Text.tapMark.utf8) ?? false
    }

    private static func hasNoLyrics(_ song: Location) -> Bool {
        do { return try LyricsFile.read(beside: song) == nil } catch { return false }
    }
}
