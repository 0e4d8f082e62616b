import AudioGraph
import AudioMedia
import Foundation
import SystemSupport
import TestSupport
import Testing

@testable import DuetApp

/// The folder in which is kept what users changed of songs.
@Suite struct SongStoreTests {
    private let folder: TemporaryFolder
    private let store: SongStore
    private let song: RememberedSong

    init() throws {
        folder = try TemporaryFolder()
        store = SongStore(
            folder: FileName(folder.url.appendingPathComponent("state/duet/songs").path))
        song = try #require(RememberedSong(try Location("https://example.org/a.mp3")))
    }

    private func path(_ song: RememberedSong) -> String { "\(store.folder)/\(song.fileName)" }

    private func text() throws -> String { try String(contentsOfFile: path(song), encoding: .utf8) }

    private func put(_ bytes: Data) throws {
        _ = store.change(["/song/key": 1], of: song)
        try bytes.write(to: URL(fileURLWithPath: path(song)))
    }

    @Test func peopleCanReadIt() throws {
        #expect(store.values(of: song) == ([:], nil))
        let changes: [String: Double?] = [
            "/song/volume": Volume("-3dB")?.gain, "/song/key": 2, "/song/vocals/remove": 60,
            "/song/vocals/mode": 1, "/song/vocals/at": 0.25, "/lyrics/offset": -0.3,
            "/song/tempo": 90,
        ]
        #expect(store.change(changes, of: song) == nil)
        #expect(
            try text() == """
                # https://example.org/a.mp3
                /song/volume=-3dB
                /song/key=2
                /song/tempo=90
                /song/vocals/remove=60
                /song/vocals/mode=plain
                /song/vocals/at=0.25
                /lyrics/offset=-0.3

                """)
        #expect(store.values(of: song).values == changes.compactMapValues { $0 })
        let facts = try FileManager.default.attributesOfItem(atPath: path(song))
        #expect(facts[.posixPermissions] as? Int == 0o600)
        let place = try FileManager.default.attributesOfItem(atPath: store.folder.description)
        #expect(place[.posixPermissions] as? Int == 0o700)
    }

    /// What one run does not change, another has; what has no value goes, and with the last the file.
    @Test func onlyWhatWasChangedChanges() throws {
        #expect(store.change(["/song/key": 2, "/song/volume": 0.3], of: song) == nil)
        #expect(try text().contains("/song/volume=0.3\n"))
        #expect(store.change(["/song/key": nil, "/song/tempo": 80], of: song) == nil)
        #expect(store.values(of: song).values == ["/song/volume": 0.3, "/song/tempo": 80])
        #expect(
            store.change(["/song/volume": nil, "/song/tempo": nil], of: song) == nil)
        #expect(access(path(song), F_OK) != 0)
        #expect(store.change(["/song/volume": nil], of: song) == nil)
        #expect(store.remove(song) == (false, nil))
        _ = store.change(["/song/key": 2], of: song)
        #expect(store.remove(song) == (true, nil))
        #expect(store.values(of: song) == ([:], nil))
    }

    /// Spaces stand where they may stand in the configuration.
    @Test func aFileThatPeopleHaveWritten() throws {
        try put(Data("# mine\r\n  /song/key = 2 \r\n\t/song/volume\t= -3 dB # soft\r\n".utf8))
        let (values, problem) = store.values(of: song)
        #expect(problem == nil)
        #expect(values == ["/song/key": 2, "/song/volume": Volume("-3dB")?.gain])
    }

    @Test(arguments: [
        ("/song/key=13\n/song/tempo=90\n", "line 1 is ignored: use -12…12 semitones, not '13'"),
        ("/song/key=nan\n/song/tempo=90\n", "line 1 is ignored: use -12…12 semitones, not 'nan'"),
        ("/mic/volume=2\n/song/tempo=90\n", "line 1 is ignored: /mic/volume is not remembered"),
        ("/song/tempo=90\nkey=2\n", "line 2 is ignored: "),
        ("/song/tempo=90\n/song/key=2\u{0}\n", "line 2 is ignored: it has a control character"),
    ])
    func wrongLinesAreIgnored(text: String, reason: String) throws {
        try put(Data(text.utf8))
        let (values, problem) = store.values(of: song)
        #expect(values == ["/song/tempo": 90])
        #expect(problem?.hasPrefix("\(path(song)), \(reason)") == true)
        // The next change leaves nothing of them.
        #expect(store.change(["/song/key": 3], of: song) == nil)
        #expect(store.values(of: song) == (["/song/tempo": 90, "/song/key": 3], nil))
    }

    @Test func strangeFilesAreIgnored() throws {
        try put(Data(repeating: 0xFF, count: 100_000))
        #expect(store.values(of: song).values == [:] && store.values(of: song).problem != nil)
        try put(Data(repeating: UInt8(ascii: "\n"), count: 10 << 20))
        #expect(store.values(of: song).problem?.contains("is larger than 256 KiB") == true)
        #expect(store.values(of: song).values == [:])
        try FileManager.default.removeItem(atPath: path(song))
        #expect(mkfifo(path(song), 0o600) == 0)
        #expect(store.values(of: song).problem?.contains("not a regular file") == true)
        // A change puts a file in its place.
        #expect(store.change(["/song/key": 3], of: song) == nil)
        #expect(store.values(of: song) == (["/song/key": 3], nil))
        try FileManager.default.removeItem(atPath: path(song))
        #expect(mkdir(path(song), 0o700) == 0)
        #expect(store.values(of: song).problem?.contains("not a regular file") == true)
        #expect(store.change(["/song/key": 3], of: song)?.contains("cannot write") == true)
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: store.folder.description).count == 1
        )
    }

    /// Two that change one song at once lose nothing of each other.
    @Test func twoThatWriteAtOnce() throws {
        let lost = Guarded(0)
        let writers = try ["/song/key", "/song/tempo"].map { [store, song] address in
            let end = try #require(EventFlag())
            let code = DetachedThread.start("writer") {
                for number in 1...200 {
                    // A value of the song comes and goes, and with it at times the file.
                    let value = number % 5 == 0 ? nil : address == "/song/key" ? 1.0 : 90
                    let problem = store.change([address: value], of: song)
                    let isThere = store.values(of: song).values[address] == value
                    if problem != nil || !isThere { lost.withLock { $0 += 1 } }
                }
                end.set()
            }
            #expect(code == 0)
            return end
        }
        for end in writers { #expect(end.wait(milliseconds: 60_000)) }
        #expect(lost.withLock { $0 } == 0)
        #expect(store.values(of: song).values == [:])
    }

    @Test func aFolderThatCannotBeMade() throws {
        try folder.write("state", "")
        #expect(store.values(of: song) == ([:], nil))
        #expect(
            store.change(["/song/key": 3], of: song)?.hasPrefix("cannot write \(path(song)): ")
                == true)
    }

    /// Of more files than are to be kept the oldest go, and drafts of programs that were killed.
    @Test func theOldestGo() throws {
        _ = store.change(["/song/key": 1], of: song)
        try FileManager.default.removeItem(atPath: path(song))
        for number in 0..<(SongStore.most + 3) {
            let ending = number == 1 ? ".conf.77" : ".conf"
            let file = "\(store.folder)/\(String(format: "%016x", number))\(ending)"
            close(open(file, O_WRONLY | O_CREAT, 0o600))
            // The fourth is the oldest.
            let age = number == 3 ? 10_000_000 : 9_000_000 - number
            var times = [timespec(tv_sec: 1_500_000_000 - age, tv_nsec: 0), timespec()]
            times[1] = times[0]
            #expect(utimensat(AT_FDCWD, file, times, 0) == 0)
        }
        try folder.write("state/duet/songs/other", "")
        #expect(store.change(["/song/key": 2], of: song) == nil)
        let left = try Set(
            FileManager.default.contentsOfDirectory(atPath: store.folder.description))
        #expect(left.count == SongStore.most + 1 && left.contains("other"))
        #expect(left.contains(song.fileName))
        for number in [0, 1, 2, 3] {
            #expect(!left.contains { $0.hasPrefix(String(format: "%016x", number)) })
        }
        #expect(left.contains(String(format: "%016x.conf", 4)))
    }
}
