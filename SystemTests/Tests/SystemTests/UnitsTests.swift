import Foundation
import Rig
import Testing

/// The commands that show what graphs are made of.
@Suite struct UnitsTests {
    @Test func everyUnitIsPrintedWithItsParameters() throws {
        let duet = try Duet.run(["units"])
        let json = try Duet.run(["units", "--json"]).output
        let all = try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [[String: Any]] ?? []
        #expect(all.count > 15)
        for unit in all {
            let type = unit["type"] as? String ?? "-"
            let (name, summary) = (
                unit["name"] as? String ?? "-", unit["summary"] as? String ?? "-"
            )
            #expect(duet.output.contains("\(type) \(name): \(summary)\n"))
        }
        let limiter = try Duet.run(["units", "limiter"])
        #expect(
            limiter.child.output == """
                effect limiter: Keeps peaks below a ceiling, by the same gain on both sides and without latency.
                  in 0  input, mono or stereo
                  out 0  output, mono or stereo
                  out 1  gain, gains
                  ceiling  -60…0 decibels (default: -0.3)
                  gain-reduction  -120…0 decibels (read only)
                  bypass  on or off (default: off)
                  reports latency
                  presets full, streaming, headroom

                """)
        let unknown = try Duet.run(["units", "flanger"])
        #expect(try unknown.child.waitForExit() == .code(64))
        #expect(unknown.complaint.first?.contains("no unit 'flanger'") == true)
    }

    @Test func jsonNamesRangesAndChoices() throws {
        let duet = try Duet.run(["units", "mixer", "--json"])
        let units = try #require(
            JSONSerialization.jsonObject(with: Data(duet.child.output.utf8)) as? [[String: Any]])
        #expect(units.count == 1 && units[0]["type"] as? String == "mixer")
        let parameters = try #require(units[0]["parameters"] as? [[String: Any]])
        let pan = try #require(parameters.first { $0["name"] as? String == "pan" })
        #expect(pan["minimum"] as? Double == -1 && pan["maximum"] as? Double == 1)
        #expect(pan["scope"] as? String == "input" && pan["default"] as? Double == 0)
        let law = try #require(parameters.first { $0["name"] as? String == "pan-law" })
        #expect(law["choices"] as? [String] == ["constant-power", "linear", "balance"])
        let limiter = try Duet.run(["units", "limiter", "--json"])
        #expect(
            limiter.child.output.contains(
                #"{"name":"streaming","values":[{"parameter":"ceiling","scope":"global","#
                    + #""element":0,"value":-1}]}"#))
    }

    @Test func graphvizDrawsTheGraph() throws {
        let dot = try Duet.run(["graph", "--dot"]).child.output
        #expect(dot.hasPrefix("digraph duet {\n") && dot.hasSuffix("}\n"))
        #expect(dot.contains("label=\"48000 Hz stereo\"") && dot.contains("style=dashed"))
        let direct = try Duet.run(["graph", "--direct-outs"]).child.output
        // No microphone is heard on the song's own output.
        #expect(direct.contains("    bus 1 <- song guard bus 0, 48000 Hz stereo\n"))
        #expect(
            direct.contains("    bus 2 <- mic guard bus 0, 48000 Hz stereo, its input 0 frames"))
        #expect(dot.contains("  in [label=\"hardware in\"];\n"))
    }
}
