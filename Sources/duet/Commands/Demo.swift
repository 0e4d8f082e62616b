import ArgumentParser
import CDemo
import Glibc

/// The main job with a song and a voice that come with the program.
struct Demo: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Sing the bundled song with the bundled voice.",
        discussion: """
            The same way as your own songs: the song is streamed and decoded, the voice arrives \
            on the mic port from a second JACK client. It takes no sound card, no microphone and \
            no network, connects no microphone of yours, and ends by itself.
            """)

    @OptionGroup(title: "Mix") var song: SongOptions
    @OptionGroup(title: "Mix") var mic: MicOptions
    @OptionGroup(title: "Mix") var output: OutputOptions
    @OptionGroup(title: "Time") var time: TimeOptions
    @OptionGroup(title: "JACK") var jack: JackOptions
    @OptionGroup(title: "Report") var report: ReportOptions

    mutating func validate() throws {
        guard !mic.stereoMic else {
            throw ValidationError("--stereo-mic is not for the demo; its voice is mono")
        }
    }

    func run() throws {
        let song = try Self.file("song", cdemo_open_song())
        let voice = try Self.file("voice", cdemo_open_voice())
        try LiveRun(
            songs: [[song], [voice]],
            settings: MixSettings(song: self.song, mic: mic, output: output), jack: jack,
            micPatterns: ["none"], time: time, report: report, hasVoice: true
        ).run()
    }

    /// The address of an open file; it stays open as long as the program runs.
    private static func file(_ name: String, _ descriptor: Int32) throws(DuetError) -> String {
        guard descriptor >= 0 else {
            throw DuetError(
                status: .failure, attempt: "cannot unpack the demo's \(name)",
                result: systemMessage(errno), hint: "")
        }
        return "file:///proc/self/fd/\(descriptor)"
    }
}
