import AudioMedia
import Foundation
import TestSupport

@testable import DuetApp

/// A take's folder with sound files of a test's own.
struct HandmadeTake {
    let folder: TemporaryFolder
    var take = Take()

    var path: String { folder.url.path }

    init(second: MixPlan.Second = .mic(channelCount: 1), lead: Int = 0) throws {
        folder = try TemporaryFolder()
        (take.mix, take.rate, take.lead) = (MixPlan(second: second), 48_000, lead)
        take.mix.guardsFeedback = !second.microphones.isEmpty
        take.isComplete = true
    }

    /// Writes `take.json`.
    func save() throws { try folder.write("take.json", take.text) }

    /// Writes a sound file of floats, one list of samples for each channel.
    func write(_ name: String, _ channels: [[Float]], rate: Int? = nil) throws {
        let file = try SoundFileWriter(
            path: folder.url.appendingPathComponent(name).path, sampleRate: rate ?? take.rate,
            channelCount: channels.count, format: .float)
        try file.write(channels)
        try file.close()
    }
}
