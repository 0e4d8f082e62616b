import AudioGraph
import JackIO

/// How loud a microphone is, by its largest samples.
///
/// A voice that is set well peaks at −20 dBFS or above (EBU R 68 has its alignment level at −18 dBFS).
enum MicrophoneLevel {
    /// No sound at all: what a converter of 16 bits gives without an input is below −90 dBFS.
    case silent
    /// 40 dB softer than it should be: this is no voice, or the gain is far too low. Rooms are as loud.
    case tooSoft
    /// Softer than it should be, and soft even with all the volume that duet has.
    case soft
    case good
    /// At full scale.
    case clips

    init(_ peak: Decibels) {
        self =
            switch peak.value {
            case ...(-90): .silent
            case ...(-60): .tooSoft
            case ..<(-30): .soft
            case ..<(-0.1): .good
            default: .clips
            }
    }

    /// The loudest of the ports that have sound, besides some; nil: none has.
    static func moving(in levels: [PortLevel], besides ports: Set<String>) -> String? {
        levels.filter { !ports.contains($0.port) && $0.peak.value > -60 }
            .max { $0.peak < $1.peak }?.port
    }

    /// What to do about a microphone without sound.
    ///
    /// - Parameters:
    ///   - moving: another port that has sound; nil: none has, or that is not known.
    ///   - option: the option that names the microphone.
    static func advice(moving: String?, option: String = "--mic") -> String {
        "check its mute and cable, or use "
            + (moving.map { "\($0), which has sound: \(option) \(ShellWords.pasted($0))" }
                ?? "another port: \(option) NAME")
    }
}
