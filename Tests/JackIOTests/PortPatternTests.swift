import JackIO
import Testing

@Suite struct PortPatternTests {
    let ports = [
        JackPort(name: "system:capture_1", aliases: ["alsa_pcm:hw:0:out1"]),
        JackPort(name: "system:capture_2"),
        JackPort(name: "synth:out (left)"),
    ]

    @Test(arguments: [
        ("capture", ["system:capture_1", "system:capture_2"]),
        ("capture_2$", ["system:capture_2"]),
        ("^capture", []),
        ("hw:0", ["system:capture_1"]),
        ("(capture_2|out)", ["system:capture_1", "system:capture_2", "synth:out (left)"]),
        ("out [(]left[)]", ["synth:out (left)"]),
        // Others capital letters only where none matches as written.
        ("SYSTEM", ["system:capture_1", "system:capture_2"]), ("Synth", ["synth:out (left)"]),
        ("CARD", []),
    ])
    func matchesUnanchoredOnNamesAndAliases(pattern: String, expected: [String]) throws {
        let found = try PortPattern(pattern: pattern).matches(in: ports).map(\.name)
        #expect(found == expected)
    }

    @Test func invalidPatternSaysWhy() {
        do throws(PortPattern.Failure) {
            _ = try PortPattern(pattern: "capture_(1")
            Issue.record("taken")
        } catch {
            #expect("\(error)".contains("'capture_(1'"))
            #expect("\(error)".contains("Unmatched"))
        }
        #expect(PortPattern("[") == nil)
    }

    @Test func selectionIsReadFromPatterns() throws {
        #expect(try PortSelection(patterns: []) == .automatic)
        #expect(try PortSelection(patterns: ["none"]) == .none)
        #expect(try PortSelection(patterns: ["a"]) == .one(PortPattern(pattern: "a")))
        #expect(
            try PortSelection(patterns: ["a", "b"])
                == .each([PortPattern(pattern: "a"), PortPattern(pattern: "b")]))
        #expect(throws: PortPattern.Failure.self) { try PortSelection(patterns: ["a", "["]) }
    }
}
