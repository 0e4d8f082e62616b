import AudioGraph
import AudioMedia
import Foundation
import TestSupport
import Testing

@testable import DuetApp

/// What keeps a host from losing something.
@Suite struct HostTests {
    @Test func whatIsRiskyIsAskedForTwice() {
        var question = KeyQuestion()
        func answer(_ action: Action, isRisky: Bool = true, now: Double) -> Bool {
            question.isAnswered(by: action, isRisky: isRisky, now: now)
        }
        let (quit, next) = (Action.trigger(.quit), Action.trigger(.next))
        #expect(answer(next, isRisky: false, now: 0))
        #expect(!answer(quit, now: 1))
        #expect(answer(quit, now: 4.9))
        // It begins anew after an answer, too late, and after another key.
        #expect(!answer(quit, now: 5))
        #expect(!answer(quit, now: 9.1))
        #expect(!answer(.trigger(.removeSelected), now: 10))
        #expect(!answer(quit, now: 11))
        #expect(answer(next, isRisky: false, now: 12))
        #expect(!answer(quit, now: 13))
    }

    /// Beside the list only pause, the next and the previous song, mutes and volumes change the sound.
    @Test func littleOfTheSoundIsChangedBesideTheList() throws {
        let plan = MixPlan(second: .mic(channelCount: 1))
        func isDone(_ line: String) throws -> Bool {
            try Action(line: line, in: plan.vocabulary).isDoneBesideList
        }
        for line in [
            "toggle /transport/play", "trigger /transport/next", "trigger /transport/previous",
            "toggle /mic/mute", "adjust /song/volume 1", "adjust /mic/volume -1", "trigger /quit",
            "trigger /list/undo", "trigger /page/list", "add a.mp3", "adjust /list/selected 1",
        ] { #expect(try isDone(line), "\(line)") }
        for line in [
            "adjust /song/key -1", "adjust /song/tempo 5", "toggle /song/vocals/remove",
            "adjust /mic/preset 1", "adjust /transport/position 5", "toggle /record",
            "trigger /take/play", "trigger /reset", "adjust /mic/pan 0.1", "adjust /out/volume 1",
            "trigger /swap", "adjust /strip/volume 1", "trigger /lyrics/again",
        ] { #expect(try !isDone(line), "\(line)") }
    }

    @Test func aListSaysHowLongItTakes() {
        let times = ListTimes([60, nil, 120, 30])
        #expect(times.seconds(from: 0, passed: 0, to: 1) == 60)
        // What is not known counts as the mean of the others.
        #expect(times.seconds(from: 0, passed: 20, to: 2) == 110)
        #expect(times.seconds(from: 1, passed: .infinity, to: 4) == 150)
        #expect(times.seconds(from: 3, passed: 0, to: 9) == nil)
        #expect(ListTimes([nil]).seconds(from: 0, passed: 0, to: 1) == nil)
        #expect(ListTimes.text(0) == "1 min" && ListTimes.text(29 * 60 + 31) == "30 min")
        #expect(ListTimes.text(6180) == "1 h 43 min")
    }

    @Test func theLastEchoIsWaitedFor() {
        var echo = LastEcho()
        func isHeard(_ peak: Double, _ now: Double) -> Bool {
            echo.isHeard(peak: Decibels(peak), now: now)
        }
        #expect(!echo.isAwaited)
        #expect(isHeard(-20, 100))
        #expect(isHeard(-80, 102) && echo.isAwaited)
        #expect(!isHeard(-80, 102.2))
        // A room is heard for ever.
        echo = LastEcho()
        for now in 0..<6 { #expect(isHeard(-40, Double(now))) }
        #expect(!isHeard(-40, 6))
    }
}

/// Lists that runs have left.
@Suite struct ListStoreTests {
    private let folder: TemporaryFolder
    private let store: ListStore
    /// A process that is gone.
    private let gone: Int32

    init() throws {
        folder = try TemporaryFolder()
        store = ListStore(folder: FileName(folder.url.path + "/lists"))
        let child = Process()
        child.executableURL = URL(fileURLWithPath: "/bin/true")
        try child.run()
        child.waitUntilExit()
        gone = child.processIdentifier
    }

    private func state(_ song: String) -> SessionState {
        var state = SessionState()
        (state.songs, state.places) = ([["/\(song).mp3", "/b.mp3"]], [.init()])
        return state
    }

    /// Puts the list of a run that is gone there.
    private func leave(_ name: String, _ song: String, daysAgo: Double = 0) throws {
        #expect(UserFolder.make(store.folder) == 0)
        let path = folder.url.path + "/lists/" + name
        try state(song).text.write(toFile: path, atomically: true, encoding: .utf8)
        let date = Date(timeIntervalSinceNow: -daysAgo * 86_400)
        try FileManager.default.setAttributes([.modificationDate: date], ofItemAtPath: path)
    }

    private var names: [String] {
        (try? FileManager.default.contentsOfDirectory(atPath: folder.url.path + "/lists")) ?? []
    }

    /// Neither a draft, which may be cut, nor one that cannot be read is the newest list.
    @Test func theNewestWholeListIsFound() throws {
        #expect(store.newest() == nil)
        try leave("1-\(gone).list", "old", daysAgo: 2)
        try leave("2-\(gone).list", "new", daysAgo: 1)
        try leave(".3-\(gone).list", "draft")
        try "nonsense".write(
            toFile: folder.url.path + "/lists/4-\(gone).list", atomically: true, encoding: .utf8)
        let kept = try #require(store.newest())
        #expect(kept.state.songs == [["/new.mp3", "/b.mp3"]] && kept.place == (1, 2))
        store.remove(kept)
        #expect(store.newest()?.state.songs.first?.first == "/old.mp3")
    }

    /// A list of who has been killed, too, while the parent has not asked yet how it ended.
    @Test func whoHasEndedHasNothing() throws {
        let program = folder.url.path + "/duet-ended"
        try FileManager.default.createSymbolicLink(
            atPath: program, withDestinationPath: "/bin/true")
        var child: pid_t = 0
        try #require(posix_spawn(&child, program, nil, nil, [nil], nil) == 0)
        var facts = siginfo_t()
        waitid(P_PID, id_t(child), &facts, WEXITED | WNOWAIT)
        #expect(DuetProcess.isRunning(getpid()) && !DuetProcess.isRunning(child))
        try leave("1-\(child).list", "left")
        #expect(store.newest()?.state.songs.first?.first == "/left.mp3")
        waitid(P_PID, id_t(child), &facts, WEXITED)
        #expect(!DuetProcess.isRunning(child) && !DuetProcess.isRunning(0))
    }

    @Test func fiveAreKeptForAMonth() throws {
        try leave("0-\(gone).list", "old", daysAgo: 31)
        for number in 1...6 {
            try leave("\(number)-\(gone).list", "\(number)", daysAgo: Double(10 - number))
        }
        try leave(".9-\(gone).list", "draft")
        #expect(store.write(state("own")) == nil)
        #expect(
            Set(names) == Set((2...6).map { "\($0)-\(gone).list" } + [ListStore.ownName]))
        store.removeOwn()
        #expect(!names.contains(ListStore.ownName))
    }
}

extension ListStore.Kept: Equatable {
    public static func == (a: ListStore.Kept, b: ListStore.Kept) -> Bool {
        a.file == b.file && a.state == b.state
    }
}
