import Glibc
import Testing

@testable import DuetApp

/// When a connection to the control socket may be closed for another one.
@Suite struct ControlClientTests {
    /// Both ends of a connection: the program's, and the client's own.
    private final class Pair {
        var client: ControlClient
        let far: Int32

        init() {
            var ends: [Int32] = [-1, -1]
            _ = socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends)
            client = ControlClient(ends[0], isSocket: true, now: 0)
            far = ends[1]
        }

        deinit {
            close(client.descriptor)
            close(far)
        }

        /// What has come at the far end.
        func receive() -> String {
            var all: [UInt8] = []
            var bytes = [UInt8](repeating: 0, count: 65_536)
            while true {
                let count = recv(far, &bytes, bytes.count, Int32(MSG_DONTWAIT))
                guard count > 0 else { return String(decoding: all, as: UTF8.self) }
                all += bytes[..<count]
            }
        }

        func send(_ text: String) { _ = Glibc.send(far, text, text.utf8.count, 0) }

        /// The lines that have come until now.
        func readLines(at now: Double) -> [Result<String, Refusal>] {
            client.readLines(at: now)
            var lines: [Result<String, Refusal>] = []
            while let line = client.nextLine() { lines.append(line) }
            return lines
        }

        /// Whether it is idle at each of these times.
        func isIdle(at times: Double...) -> [Bool] { times.map { client.isIdle(at: $0) } }
    }

    @Test func halfALineCountsForTenSecondsFromItsLastByte() throws {
        let pair = Pair()
        #expect(pair.isIdle(at: 0) == [true])
        pair.send("get /song")
        // It is still to be read.
        #expect(pair.isIdle(at: 0, 100) == [false, false])
        #expect(pair.readLines(at: 100).isEmpty)
        #expect(pair.isIdle(at: 100, 109.9, 110) == [false, false, true])
        pair.send("/vol")
        #expect(pair.readLines(at: 109).isEmpty)
        #expect(pair.isIdle(at: 110, 118.9, 119) == [false, false, true])
        // The rest comes after all.
        pair.send("ume\n")
        #expect(pair.isIdle(at: 200) == [false])
        let lines = pair.readLines(at: 200)
        #expect(try lines.map { try $0.get() } == ["get /song/volume"])
        #expect(pair.isIdle(at: 200) == [true])
    }

    /// A line that is too long is skipped to its end, which may never come.
    @Test func halfALineThatIsTooLong() {
        let pair = Pair()
        pair.send(String(repeating: "x", count: 6000))
        for _ in 0..<3 { #expect(pair.readLines(at: 1).isEmpty) }
        #expect(pair.isIdle(at: 10.9, 11) == [false, true])
    }

    /// What stands behind a line whose answer takes time is carried out after it, also when the client has
    /// left.
    @Test func linesWaitForAnAnswer() throws {
        let pair = Pair()
        pair.send("one\ntwo\nthree\n")
        pair.client.readLines(at: 1)
        #expect(try pair.client.nextLine()?.get() == "one" && pair.client.hasLine)
        pair.client.awaitAnswer()
        #expect(pair.client.nextLine() == nil && !pair.client.hasLine)
        #expect(!pair.client.isListenedTo && pair.isIdle(at: 100) == [false])
        pair.client.answer("ok one")
        #expect(try pair.client.nextLine()?.get() == "two")
        #expect(pair.client.hasLine && !pair.client.isListenedTo)
        #expect(try pair.client.nextLine()?.get() == "three")
        #expect(pair.client.isListenedTo)
        pair.send("four")
        shutdown(pair.far, Int32(SHUT_WR))
        pair.client.readLines(at: 2)
        pair.client.readLines(at: 2)
        #expect(!pair.client.hasEnded)
        #expect(try pair.client.nextLine()?.get() == "four")
        pair.client.awaitAnswer()
        #expect(!pair.client.hasEnded)
        pair.client.answer("ok four")
        #expect(pair.client.hasEnded && pair.receive() == "ok one\nok four\n")
    }

    /// An answer that was not taken is still waited for.
    @Test func anAnswerThatWasNotTaken() {
        let pair = Pair()
        while pair.client.isListenedTo { pair.client.answer(String(repeating: "x", count: 4000)) }
        #expect(pair.isIdle(at: 1000) == [false])
    }

    /// A subscriber who reads nothing for long gets as much as waits for one, the newest of states, and how
    /// many events he missed; his commands are read all the same.
    @Test func aSlowSubscriber() throws {
        let pair = Pair()
        pair.client.subscribe()
        #expect(pair.isIdle(at: 1e6) == [false])
        let count = 30_000
        for number in 1...count {
            pair.client.tell(.xrun(count: number, microseconds: 0), at: 0)
            pair.client.tell(.opening(bus: 0, url: "x", waitsFor: .disk), at: 0)
            let position = Event.position(
                bus: 0, seconds: Double(number), duration: nil, buffered: 0, exact: true)
            pair.client.tell(position, at: 0)
        }
        #expect(pair.client.isListenedTo && pair.client.hasUnsent)
        // There is room for a state that was not there before.
        pair.client.tell(.words(bus: 0, nil), at: 0)
        var text = ""
        while pair.client.hasUnsent {
            text += pair.receive()
            pair.client.send()
        }
        pair.client.tell(.paused(bus: 0), at: 0)
        text += pair.receive()
        let lines = text.split(separator: "\n")
        #expect(lines.count { $0.contains("\"words\"") } == 1)
        #expect(lines.contains { $0.contains("\"position\"") && $0.contains("\(count)") })
        let dropped = lines.filter { $0.contains("\"dropped\"") }
        #expect(dropped.count == 1 && lines.last?.contains("\"paused\"") == true)
        let told = lines.count { $0.contains("\"xrun\"") || $0.contains("\"opening\"") }
        let missing = dropped.first?.split(separator: ":").last.flatMap { Int($0.dropLast()) }
        #expect(told + (missing ?? 0) == 2 * count)
    }
}
