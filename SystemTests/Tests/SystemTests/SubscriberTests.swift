import Foundation
import Rig
import Testing

/// Who subscribes on a control socket is told everything at once, and then all that happens.
@Suite struct SubscriberTests {
    private let stage: Stage

    init() throws { stage = try Stage(period: 256) }

    private func event<Kind: Event>(_ client: LineClient, _: Kind.Type) throws -> Kind {
        while let line = try client.line() {
            if let event = try Duet.event(in: line[...]) as? Kind { return event }
        }
        throw ChildProcess.Failure(description: "the socket was closed before \(Kind.name)")
    }

    @Test func everythingAtOnceAndThenChanges() throws {
        let words = stage.folder.url.appendingPathComponent("words.lrc")
        try "[ar:Ann]\n[00:00.10]la <00:00.30>le\n[00:01.00]lu\n".write(
            to: words, atomically: true, encoding: .utf8)
        let (duet, client) = try stage.startCommanded([
            "play", "--loop", "--lyrics", words.path, "--song-volume=-6dB", stage.song(),
        ])
        try duet.wait(for: Events.Words.self) { $0.lines.count == 2 }
        // Everything twice would be too much for one turn.
        client.send("subscribe\nget *\n")
        #expect(try client.line() == "ok subscribe")
        let all = try event(client, Events.Snapshot.self)
        while let line = try client.line(), !line.hasPrefix("error everything") {}
        #expect(abs(all.values["/song/volume"]!.wrappedValue - 0.501) < 1e-3)
        #expect(all.server == "connected" && all.list.count == 1)
        #expect(all.words.lines?.map(\.text) == ["la le", "lu"])
        #expect(all.words.lines?.first?.words.map(\.text) == ["la ", "le"])
        #expect(all.nowPlaying.title?.isEmpty == false)
        // One that has not subscribed hears nothing of it, and asks for all in one line.
        let other = try stage.commands()
        #expect(try other.ask("set /song/pan 0.5") == "ok /song/pan 0.5")
        let change = try event(client, Events.Parameter.self)
        #expect(change.address == "/song/pan" && change.value == 0.5)
        let now = try Duet.event(in: other.ask("get *")[...]) as? Events.Snapshot
        #expect(now?.values["/song/pan"]?.wrappedValue == 0.5)
        #expect(now?.values.count == all.values.count)
        // The subscriber's own commands are answered between the events.
        client.send("toggle /song/mute\n")
        while let line = try client.line(), line != "ok /song/mute on" {}
        _ = try event(client, Events.Lyrics.self)
        try duet.quit(by: other)
        _ = try event(client, Events.Bye.self)
        #expect(try client.line() == nil)
        try duet.expectNoUnderrun()
    }

    /// A pipe takes no answers.
    @Test func aPipeIsRefused() throws {
        let pipe = stage.folder.url.appendingPathComponent("pipe").path
        #expect(mkfifo(pipe, 0o600) == 0)
        let duet = try stage.start(["play", "--control", pipe, stage.song()])
        try duet.wait(for: Events.Playing.self)
        try "subscribe\n".write(toFile: pipe, atomically: false, encoding: .utf8)
        try duet.wait(for: Events.Warning.self) {
            $0.message.contains("'subscribe' needs a socket")
        }
        try "get *\n".write(toFile: pipe, atomically: false, encoding: .utf8)
        try duet.wait(for: Events.Warning.self) { $0.message.contains("'get *' needs a socket") }
        try duet.quit()
    }
}
