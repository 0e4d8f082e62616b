/// A value of the mix with its address, as docs/interface.md, `duet units` and `duet presets` promise it.
/// Values are text, as answers and files have them.
public struct Address: Sendable {
    public let name: String
    /// What its values are: `switch`, `choice`, or the unit of a number.
    public let unit: String
    /// The lowest value, or the first choice.
    public let low: String
    /// The highest value, or the last choice.
    public let high: String
    /// The value at the beginning.
    public let start: String
    /// What may be used instead of a wrong value.
    public let range: String
    private let choices: [String]

    /// Its value one step up from the one at the beginning.
    public var next: String {
        switch unit {
        case "switch": return "on"
        case "choice":
            return choices[(choices.firstIndex(of: start)! + 1) % choices.count]
        case "gain": return "1.1220184543019633"
        default:
            guard let number = Double(start) else { return start }
            return Self.text(min(number + 1, Double(high)!))
        }
    }

    /// Whether it can be toggled.
    public var isToggled: Bool { unit == "switch" || unit == "percent" && low == "0" }

    private static func text(_ number: Double) -> String {
        let text = "\((number * 1e6).rounded() / 1e6)"
        return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
    }

    /// Of `NAME UNIT LOW HIGH START`, `NAME switch` (`NAME switch on` begins so) or `NAME choice
    /// FIRST,…,LAST START`; a value that may be called off has `off` behind that.
    fileprivate init(_ line: Substring, of bus: String) {
        let words = line.split(separator: " ").map(String.init)
        (name, unit) = ("/\(bus)/\(words[0])", words[1])
        let isOff = words.last == "off"
        choices = unit == "choice" ? words[2].split(separator: ",").map(String.init) : []
        switch unit {
        case "switch":
            (low, high, range) = ("off", "on", "on or off")
            start = words.count > 2 ? words[2] : "off"
        case "choice":
            (low, high, start) = (choices[0], choices.last!, words[3])
            let all = choices + (words.count > 4 ? ["off"] : [])
            range = "\(all.dropLast().joined(separator: ", ")) or \(all.last!)"
        default:
            (low, high, start) = (words[2], words[3], words[4])
            let numbers = "\(low)…\(high)"
            let values =
                switch unit {
                case "gain": "\(numbers) or a level like -6dB, up to 12dB"
                case "pan": "left, centre, right or \(numbers)"
                case "seconds": "\(numbers) s"
                case "hertz": "\(numbers) Hz"
                case "percent": "\(numbers) %"
                case "number": numbers
                default: "\(numbers) \(unit)"
                }
            range = values + (isOff ? " or off" : "")
        }
    }

    private static func all(_ lines: String, of bus: String) -> [Address] {
        lines.split(separator: "\n").flatMap { line -> [Address] in
            guard let count = line.firstMatch(of: /N=([0-9]+)/)?.output.1 else {
                return [Address(line, of: bus)]
            }
            return (1...Int(count)!).map {
                Address(Substring(line.replacing(/N=[0-9]+/, with: "\($0)")), of: bus)
            }
        }
    }

    private static let strip = """
        volume gain 0 4 1
        pan pan -1 1 0
        mute switch
        solo switch
        azimuth degrees -180 180 off
        elevation degrees -90 90 0
        distance metres 0.2 100 1

        """
    private static let equalizer = """
        eq/preset choice acoustic,bass-booster,bass-reducer,classical,dance,deep,electronic,flat,\
        hip-hop,jazz,latin,loudness,lounge,piano,pop,r&b,rock,small-speakers,spoken-word,\
        treble-booster,treble-reducer,vocal-booster flat off
        eq switch
        eq/band/N=10 dB -12 12 0
        eq/filter/N=8/kind choice off,high-pass,low-pass,low-shelf,high-shelf,peak off
        eq/filter/N=8/frequency hertz 20 20000 1000
        eq/filter/N=8/gain dB -12 12 0
        eq/filter/N=8/q number 0.3 10 1
        eq/gain dB -24 0 0

        """
    private static let song =
        strip + equalizer + """
            key semitones -12 12 0
            tempo percent 50 200 100
            varispeed percent 50 200 100
            vocals/remove percent 0 100 0
            vocals/mode choice spectral,plain spectral
            vocals/at pan -1 1 0
            vocals/only switch

            """
    private static let duck = """
        duck dB -40 0 0 off
        duck/threshold dB -60 0 -40
        duck/attack seconds 0.04 2 0.1
        duck/hold seconds 0.02 5 0.5
        duck/release seconds 0.04 5 1

        """
    private static let voiceProcessing = """
        voice-processing switch
        voice-processing/echo-cancellation switch on
        voice-processing/noise-reduction dB 0 40 0
        voice-processing/gain-control switch

        """
    private static let microphone =
        strip + equalizer + """
            preset choice dry,natural,room,plate,hall,stage,echo,radio,telephone dry off
            highpass switch
            highpass/frequency hertz 20 2000 80
            highpass/slope choice 12,24 12
            gate switch
            gate/threshold dB -80 0 -45
            gate/hysteresis dB 0 20 6
            gate/attack seconds 0.0001 0.1 0.001
            gate/hold seconds 0.02 2 0.1
            gate/release seconds 0.005 2 0.1
            gate/depth dB -80 0 -60
            compressor switch
            compressor/threshold dB -60 0 -20
            compressor/ratio number 1 20 3
            compressor/knee dB 0 24 6
            compressor/attack seconds 0.0001 0.2 0.005
            compressor/release seconds 0.02 2 0.1
            compressor/make-up dB 0 18 0
            de-esser switch
            de-esser/frequency hertz 2000 12000 4500
            de-esser/threshold dB -30 0 -12
            de-esser/depth dB -24 0 -12
            echo switch
            echo/time seconds 0.001 2 0.3
            echo/feedback percent 0 95 30
            echo/tone hertz 200 20000 5000
            echo/mix percent 0 100 25
            reverb switch
            reverb/size metres 2 16 8
            reverb/decay seconds 0.3 20 1.5
            reverb/damping percent 0 100 50
            reverb/pre-delay seconds 0 0.25 0.01
            reverb/wet percent 0 100 25
            feedback-guard/bypass switch

            """
    private static let output = """
        volume gain 0 4 1
        pan-law choice constant-power,linear,balance constant-power
        limiter/ceiling dB -60 0 -0.3
        limiter/bypass switch
        """
}

extension Address {
    /// What `duet play` has.
    public static let ofPlay =
        all(song, of: "song") + all(output, of: "out")
        + all("offset seconds -10 10 0", of: "lyrics")
    /// What `duet mix` has.
    public static let ofMix = ofPlay + all(song, of: "second")
    /// What `duet sing --second-mic` has: all that `duet sing` has, too.
    public static let ofSing =
        ofPlay + all(duck, of: "song") + all(voiceProcessing + microphone, of: "mic")
        + all(microphone, of: "mic2")
    /// What `duet sing` has with all microphones.
    public static let ofFour = ofSing + all(microphone, of: "mic3") + all(microphone, of: "mic4")
}
