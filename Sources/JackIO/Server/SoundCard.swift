import SystemSupport

/// A sound card, as the kernel's ALSA lists it.
public struct SoundCard: Sendable, Hashable {
    /// The card's name after `hw:`, such as `PCH`.
    public let id: String
    /// Whether the card is on USB: USB sends packets of 1 ms, so jackd is given three periods.
    public let isUSB: Bool
    /// The number of the first device that plays; nil when none does.
    public let playbackDevice: Int?
    /// The number of the device to record from: the playback device where it can record, else the
    /// first device that can; nil when none can.
    public let captureDevice: Int?

    public init(id: String, isUSB: Bool, playbackDevice: Int?, captureDevice: Int?) {
        self.id = id
        self.isUSB = isUSB
        self.playbackDevice = playbackDevice
        self.captureDevice = captureDevice
    }

    /// The cards of this machine, in the kernel's order.
    public static func all() -> [SoundCard] {
        parse(cards: readText("/proc/asound/cards"), devices: readText("/proc/asound/pcm"))
    }

    /// Reads the texts of /proc/asound/cards and /proc/asound/pcm; skips lines of other shapes.
    ///
    /// - Parameters:
    ///   - cards: lines such as ` 0 [PCH            ]: HDA-Intel - HDA Intel PCH`.
    ///   - devices: lines such as `00-00: ALC257 Analog : ALC257 Analog : playback 1 : capture 1`.
    static func parse(cards: String, devices: String) -> [SoundCard] {
        var playing: [Int: [Int]] = [:]
        var recording: [Int: [Int]] = [:]
        for line in devices.split(separator: "\n") {
            let head = line.prefix { $0 != ":" }.split(separator: "-")
            guard head.count == 2, let card = Int(head[0]), let device = Int(head[1]) else {
                continue
            }
            for field in line.split(separator: ":").dropFirst() {
                let words = field.split(separator: " ")
                guard words.count == 2, Int(words[1]) != nil else { continue }
                if words[0] == "playback" { playing[card, default: []].append(device) }
                if words[0] == "capture" { recording[card, default: []].append(device) }
            }
        }
        return cards.split(separator: "\n").compactMap { line in
            let parts = line.split(separator: "[", maxSplits: 1)
            guard parts.count == 2, let number = Int(parts[0].filter { $0 != " " }),
                let end = parts[1].firstIndex(of: "]")
            else { return nil }
            let playback = playing[number]?.first
            let captures = recording[number] ?? []
            return SoundCard(
                id: String(parts[1][..<end].prefix { $0 != " " }),
                isUSB: parts[1][end...].hasPrefix("]: USB-Audio"),
                playbackDevice: playback,
                captureDevice: captures.first { $0 == playback } ?? captures.first)
        }
    }
}
