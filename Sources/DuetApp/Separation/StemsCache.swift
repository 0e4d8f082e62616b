import AudioMedia
import Glibc
import SystemSupport

/// Songs that were taken apart, in the user's cache, and the folders in which that is done.
///
/// All functions block for as long as the disk takes.
struct StemsCache: Sendable {
    /// The most bytes that are kept, 10 GiB: of more those songs go that were made longest ago.
    static let mostBytes: Int64 = 10 << 30
    /// How the names of folders begin in which songs are taken apart.
    private static let work = ".work-"

    let folder: FileName
    var most = mostBytes

    /// That of the user; nil for one without a home.
    static let own = UserFolder.cache.map { StemsCache(folder: $0 + "/stems") }

    /// Where players find them.
    var stems: StemFolder { StemFolder(folder) }

    /// Makes an empty folder to work in, and removes those of programs that have gone.
    func makeWorkFolder() throws(SeparationFault) -> FileName {
        let code = UserFolder.make(folder)
        guard code == 0 else {
            throw .notWritten(reason: "cannot make \(folder): \(errorText(code))")
        }
        for (name, _) in FolderNames.entries(of: folder, atMost: 10_000) {
            guard let text = name.text, text.hasPrefix(Self.work) else { continue }
            let process = text.dropFirst(Self.work.count).prefix { $0.isNumber }
            if let process = Int32(process), DuetProcess.isRunning(process) { continue }
            _ = FolderRemoval.run(folder + "/" + name)
        }
        for number in 1...1000 {
            let place = folder + "/" + FileName("\(Self.work)\(getpid())-\(number)")
            if mkdir(place.cString, 0o700) == 0 { return place }
            guard errno == EEXIST else { break }
        }
        throw .notWritten(reason: "cannot make a folder in \(folder): \(errorText(errno))")
    }

    /// Keeps what is in `parts` as that of a song.
    func keep(_ parts: FileName, of mark: String) throws(SeparationFault) {
        let place = stems.folder(mark)
        _ = FolderRemoval.run(place)
        guard rename(parts.cString, place.cString) == 0 else {
            throw .notWritten(reason: "cannot keep the parts: \(errorText(errno))")
        }
        bound(except: FileName(mark))
    }

    /// Removes the oldest songs, as far as all of them are too large.
    private func bound(except newest: FileName) {
        let songs = FolderNames.entries(of: folder, atMost: 100_000)
            .filter { $0.name.bytes.first != UInt8(ascii: ".") }
            .map { entry in
                let place = folder + "/" + entry.name
                var (facts, bytes) = (stat(), 0 as Int64)
                stat(place.cString, &facts)
                let time = (facts.st_mtim.tv_sec, facts.st_mtim.tv_nsec)
                for (file, _) in FolderNames.entries(of: place, atMost: 100) {
                    var facts = stat()
                    if stat((place + "/" + file).cString, &facts) == 0 {
                        bytes += Int64(facts.st_size)
                    }
                }
                return (name: entry.name, place: place, time: time, bytes: bytes)
            }
        var whole = songs.reduce(0) { $0 + $1.bytes }
        for song in songs.sorted(by: { $0.time < $1.time })
        where whole > most && song.name != newest {
            _ = FolderRemoval.run(song.place)
            whole -= song.bytes
        }
    }
}
