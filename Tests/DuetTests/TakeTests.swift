import Foundation
import JackIO
import TestSupport
import Testing

@testable import DuetApp

/// What `take.json` says.
@Suite struct TakeTests {
    private static func example() throws -> Take {
        var take = Take()
        take.started = "2026-11-27T20:15:00Z"
        (take.program, take.library, take.server) = ("duet 0.3.0", "jackdmp 1.9.21", "default")
        (take.rate, take.period, take.frames, take.lead) = (44_100, 128, 1 << 40, 1234)
        (take.leadSource, take.offset, take.isComplete) = (.measured, -0.0125, true)
        (take.firstFrame, take.differences) = (4096, [.voiceProcessing, .changes])
        take.capture = LatencyRange(minimum: 100, maximum: 128)
        take.playback = LatencyRange(minimum: 256, maximum: 256)
        take.mix = MixPlan(second: .mics(2))
        take.mix.guardsFeedback = true
        try take.mix.set([
            Assignment("/song/pan", "right"), Assignment("/mic/preset", "plate"),
            Assignment("/mic/volume", "-3.3dB"), Assignment("/song/eq/preset", "rock"),
            Assignment("/mic2/compressor/threshold", "-21.7"), Assignment("/song/azimuth", "off"),
        ])
        let volume = try #require(take.mix.vocabulary.parameter("/mic2/volume"))
        let azimuth = try #require(take.mix.vocabulary.parameter("/song/azimuth"))
        take.changes = [
            .init(frame: 0, parameter: volume, value: 1.0 / 3),
            .init(frame: 0, parameter: volume, value: 0.1 + 0.2),
            .init(frame: 88_200, parameter: azimuth, value: ValueKind.off),
        ]
        take.songs = [
            .init(address: "/music/Nu \"1\".mp3", title: "Nu\n", frame: 0, place: 12.5),
            .init(bus: 1, address: "https://example.org/a.mp3", title: "É", frame: 7),
        ]
        take.holds = [
            .init(frame: 5, bus: 2, isHeld: true), .init(frame: 9, bus: 2, isHeld: false),
        ]
        take.gaps = [.init(frame: 480_000, count: 4800)]
        return take
    }

    @Test func whatIsWrittenIsRead() throws {
        let take = try Self.example()
        var read = try Take(bytes: Array(take.text.utf8))
        #expect(read.mix.vocabulary.parameters.allSatisfy { read.mix[$0] == take.mix[$0] })
        read.mix = take.mix
        #expect(read == take)
    }

    /// Presets that were changed, or that users have saved, are left out: what they set is kept.
    @Test func presetsWithoutALastingNameAreLeftOut() throws {
        var take = try Self.example()
        func parameter(_ address: String) throws -> MixParameter {
            try #require(take.mix.vocabulary.parameter(address))
        }
        let (preset, wet) = (try parameter("/mic/preset"), try parameter("/mic/reverb/wet"))
        let saved = Double(PresetKind.microphone.builtInNames.count)
        take.changes = [
            .init(frame: 1, parameter: preset, value: 1),
            .init(frame: 2, parameter: wet, value: 7),
            .init(frame: 2, parameter: preset, value: ValueKind.own),
            .init(frame: 3, parameter: preset, value: saved),
            .init(frame: 3, parameter: wet, value: 8),
        ]
        let read = try Take(bytes: Array(take.text.utf8))
        #expect(read.changes.map(\.frame) == [1, 2, 3])
        #expect(read.changes.map(\.value) == [1, 7, 8])
        // As an older duet wrote them, and with a name that is gone.
        for name in ["own", "gone"] {
            let old = take.text
                .replacing("\"/mic/preset\": \"plate\"", with: "\"/mic/preset\": \"\(name)\"")
                .replacing(
                    "\"address\":\"/mic/reverb/wet\",\"value\":\"8\"",
                    with: "\"address\":\"/mic/preset\",\"value\":\"\(name)\"")
            #expect(old.components(separatedBy: "\"\(name)\"").count == 3)
            let read = try Take(bytes: Array(old.utf8))
            #expect(read.changes.map(\.frame) == [1, 2])
            #expect(read.mix[wet] == take.mix[wet])
        }
    }

    /// Any JACK client can claim any latency, and nothing uses the two: a take is read with any.
    @Test func latenciesMayBeWrong() throws {
        var take = try Self.example()
        take.capture = LatencyRange(minimum: -5, maximum: 1 << 40)
        take.playback = LatencyRange(minimum: 512, maximum: 256)
        let read = try Take(bytes: Array(take.text.utf8))
        #expect(read.capture == LatencyRange(minimum: 0, maximum: 1 << 31))
        #expect(read.playback == LatencyRange(minimum: 256, maximum: 512))
        for wrong in ["[512,256]", "[1]", "[1,2,3]", "7", "[-1,99999999999]"] {
            let text = take.text.replacing("[256,512]", with: wrong)
            #expect(try Take(bytes: Array(text.utf8)).playback == .zero)
        }
    }

    /// Nothing that duet writes of a value is refused when it is read.
    @Test func everyValueIsRead() throws {
        var take = Take()
        for second in [MixPlan.Second.mic(channelCount: 2), .mics(2), .mics(4), .song] {
            take.mix = MixPlan(second: second)
            take.mix.guardsFeedback = second != .song
            take.changes = take.mix.vocabulary.parameters.flatMap { parameter in
                let range = parameter.kind.range
                return [range.lowerBound, range.upperBound, parameter.kind.defaultValue].map {
                    Take.Change(frame: 0, parameter: parameter, value: $0)
                }
            }
            #expect(try Take(bytes: Array(take.text.utf8)).changes.count == take.changes.count)
        }
    }

    /// Three and four singers are kept as one and two are, with the holds of each.
    @Test func everyMicrophoneIsRead() throws {
        for (second, name, files) in [
            (MixPlan.Second.mics(2), "two-mics", ["voice.wav", "voice2.wav"]),
            (.mics(3), "three-mics", ["voice.wav", "voice2.wav", "voice3.wav"]),
            (.mics(4), "four-mics", ["voice.wav", "voice2.wav", "voice3.wav", "voice4.wav"]),
        ] {
            var take = Take()
            take.mix = MixPlan(second: second)
            take.mix.guardsFeedback = true
            take.holds = (1...4).map { .init(frame: 7, bus: $0, isHeld: true) }
            #expect(take.text.contains("\"beside\": \"\(name)\""))
            #expect(Take.files(of: second).map(\.name) == ["song.wav"] + files + ["mix.wav"])
            #expect(Take.allFiles.contains(files))
            #expect(try Take(bytes: Array(take.text.utf8)) == take)
        }
        let beyond = Take().text.replacing(
            "\"holds\": []", with: "\"holds\": [{\"frame\": 0, \"bus\": 5, \"held\": true}]")
        #expect(throws: Take.Malformed.self) { try Take(bytes: Array(beyond.utf8)) }
    }

    /// Members of another version, and of another mix, are left out.
    @Test func whatIsNotKnownIsLeftOut() throws {
        let text = try Self.example().text
            .replacing("\"rate\": 44100", with: "\"rate\": 44100, \"later\": {\"a\": [1e3]}")
            .replacing("\"/mic2/volume\": ", with: "\"/flute/volume\": ")
        #expect(try Take(bytes: Array(text.utf8)).rate == 44_100)
    }

    /// As it was heard, so far as an older duet, or a later one, says.
    @Test func anotherVersionMayNotSayHowItWasHeard() throws {
        let text = try Self.example().text
        let old = text.replacing("  \"firstFrame\": 4096,\n", with: "")
            .replacing("  \"notAsHeard\": [\"changes\",\"voice-processing\"],\n", with: "")
        #expect(!old.contains("firstFrame") && !old.contains("notAsHeard"))
        let read = try Take(bytes: Array(old.utf8))
        #expect(read.firstFrame == nil && read.differences == [])
        let later = text.replacing("\"voice-processing\"", with: "\"later\", 7")
        #expect(try Take(bytes: Array(later.utf8)).differences == [.changes, .unknown])
    }

    /// Each says what is wrong; none ends the program.
    @Test(arguments: [
        ("\"format\": \"duet take\"", "\"format\": \"other\"", "format"),
        ("\"version\": 1", "\"version\": 2", "later version"),
        ("\"version\": 1", "\"version\": 1e99", "version"),
        ("\"rate\": 44100", "\"rate\": 99999999999999999999", "integer"),
        ("\"rate\": 44100", "\"rate\": 0", "rate"),
        ("\"lead\": 1234", "\"lead\": -1", "lead"),
        ("\"firstFrame\": 4096", "\"firstFrame\": -1", "firstFrame"),
        ("\"notAsHeard\": [", "\"notAsHeard\": 1, \"x\": [", "notAsHeard"),
        ("\"offset\": -0.0125", "\"offset\": 1e300", "offset"),
        ("\"two-mics\"", "\"flute\"", "beside"),
        ("\"/song/pan\": \"1\"", "\"/song/pan\": \"upwards\"", "/song/pan"),
        ("\"frame\":88200", "\"frame\":-88200", "frame"),
        ("\"frame\":88200", "\"frame\":9223372036854775807", "frame"),
        ("\"bus\":2", "\"bus\":9", "bus"),
    ])
    func whatIsEditedBadlyIsRefused(old: String, new: String, named: String) throws {
        let text = try Self.example().text
        let bad = text.replacing(old, with: new)
        #expect(bad != text)
        let error = #expect(throws: Take.Malformed.self) { try Take(bytes: Array(bad.utf8)) }
        #expect(error?.reason.contains(named) == true, "\(error?.reason ?? "")")
    }

    /// Cut off anywhere, and with any byte changed, it is read or refused.
    @Test func noBytesEndTheProgram() throws {
        let bytes = Array(try Self.example().text.utf8)
        for end in stride(from: 0, to: bytes.count, by: 7) {
            #expect(throws: Take.Malformed.self) { try Take(bytes: Array(bytes[..<end])) }
        }
        var random = SeededRandom(seed: 43)
        for _ in 0..<2000 {
            var changed = bytes
            changed[Int.random(in: changed.indices, using: &random)] = .random(
                in: 0...255, using: &random)
            _ = try? Take(bytes: changed)
        }
        let deep = [UInt8](repeating: UInt8(ascii: "["), count: 100_000)
        #expect(throws: Take.Malformed.self) { try Take(bytes: deep) }
    }
}
