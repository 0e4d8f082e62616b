import Foundation
import TestSupport
import Testing

@testable import DuetApp

/// Output that waits for a slow reader.
@Suite struct OutputTests {
    /// A pipe whose reader begins when the test tells it to.
    private let pipe = Pipe()
    private let output: Output

    init() {
        output = Output(descriptor: pipe.fileHandleForWriting.fileDescriptor)
    }

    /// All lines that are written up to the line `end`.
    private func lines(upTo end: String) -> [String] {
        var text = Data()
        while !text.suffix(end.utf8.count + 1).elementsEqual(Data("\(end)\n".utf8)) {
            let more = pipe.fileHandleForReading.availableData
            guard !more.isEmpty else { break }
            text += more
        }
        return String(decoding: text, as: UTF8.self).split(separator: "\n").map(String.init)
    }

    @Test func nobodyReadsTheNullDevice() throws {
        for (path, isDiscarded) in [("/dev/null", true), ("/dev/zero", false), ("/", false)] {
            let file = open(path, O_RDONLY)
            defer { close(file) }
            #expect(Output(descriptor: file).isDiscarded == isDiscarded, "\(path)")
        }
        #expect(!output.isDiscarded)
    }

    @Test func orderedTextsKeepTheirOrderAndWhatIsMissingIsCounted() {
        // More lines than the pipe of 64 KiB and the waiting output can hold together.
        let count = 20_000
        let filler = String(repeating: "-", count: 100)
        for number in 0..<count {
            output.write("\(number) \(filler)\n") { "missing \($0)\n" }
        }
        output.write("end\n", .last) { "missing \($0)\n" }
        let heard = lines(upTo: "end")
        var next = 0
        var missing = 0
        for line in heard {
            let words = line.split(separator: " ")
            if words[0] == "missing" {
                let lost = Int(words[1]) ?? 0
                missing += lost
                next += lost
            } else if words[0] != "end" {
                #expect(words[0] == "\(next)")
                next += 1
            }
        }
        #expect(next == count)
        #expect(missing > 0)
        #expect(heard.last == "end")
    }

    @Test func ofStatesTheNewestCounts() {
        // The writing thread may have written the first states; then the pipe is full.
        for number in 0..<100_000 { output.write("state \(number)\n", .newest(3)) }
        output.write("event\n")
        output.write("state last\n", .newest(3))
        output.write("other\n", .newest(4))
        output.write("end\n")
        let heard = lines(upTo: "end")
        #expect(heard.suffix(4) == ["event", "state last", "other", "end"])
        let numbers = heard.compactMap { Int($0.dropFirst("state ".count)) }
        #expect(numbers == numbers.sorted())
        #expect(!heard.contains { $0.hasPrefix("…") })
    }

    @Test func aReaderThatIsGoneIsAnError() throws {
        signal(SIGPIPE, SIG_IGN)
        try pipe.fileHandleForReading.close()
        output.write("lost\n")
        #expect(poll { output.failure == EPIPE })
    }

    @Test func whatIsLeftStaysAboveWhatFollows() {
        let pair = PseudoTerminal()
        let terminal = open(pair.path, O_RDWR | O_NOCTTY | O_CLOEXEC)
        defer { for side in [pair.master, terminal] { close(side) } }
        // Everything is written before the reader begins.
        tcflow(terminal, Int32(TCOOFF))
        let output = Output(descriptor: terminal)
        output.write("first\n")
        output.show(.lines(["state"]))
        output.show(.left())
        output.write("last\n")
        tcflow(terminal, Int32(TCOON))
        var text = ""
        var bytes = [UInt8](repeating: 0, count: 4096)
        while !text.contains("last") || !text.contains("state") {
            var entry = pollfd(fd: pair.master, events: Int16(POLLIN), revents: 0)
            guard Glibc.poll(&entry, 1, 10_000) == 1 else { break }
            let count = read(pair.master, &bytes, bytes.count)
            text += String(decoding: bytes[..<count], as: UTF8.self)
        }
        let words = text.matches(of: /first|state|last/).map { String($0.output) }
        #expect(words == ["first", "state", "last"], "\(text)")
    }
}
