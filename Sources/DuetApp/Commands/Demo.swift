import ArgumentParser
import CDemo
import Glibc
import SystemSupport

/// The command `demo`: plays a song and a voice that come with the program as `sing` would.
struct Demo: ConfiguredCommand {
    static let configuration = CommandConfiguration(
        abstract: "Sing the bundled song with the bundled voice.",
        discussion: """
            The bundled song takes the same way as your own songs: it is streamed (from this \
            program to itself) and decoded. The voice arrives on the mic port from a second JACK \
            client. The demo needs no sound card, no microphone and no network, connects no \
            microphone of yours, and ends by itself. In its second half it takes the song's \
            melody away, gives the voice a room, and moves both two semitones up; what you have \
            set yourself stays.
            """)

    @OptionGroup(title: "Mix") var song: SongOptions
    @OptionGroup(title: "Mix") var mic: MicOptions
    @OptionGroup(title: "Mix") var output: OutputOptions
    @OptionGroup(title: "Mix") var values: SetOptions
    @OptionGroup(title: "Time") var time: TimeOptions
    @OptionGroup(title: "JACK") var jack: JackOptions
    @OptionGroup(title: "Configuration") var config: ConfigurationOptions
    @OptionGroup(title: "Report") var control: ControlOptions
    @OptionGroup(title: "Report") var report: LiveReportOptions

    /// The demo's voice is mono.
    func passedOver(beside names: Set<String>) -> Set<String> { ["stereo-mic"] }

    mutating func validate() throws {
        guard !mic.stereoMic else {
            throw ValidationError("--stereo-mic does not work with demo: its voice is mono")
        }
    }

    func checkNeeds() throws { try report.checkNeeds() }

    func run() throws {
        let port = cdemo_serve()
        guard port > 0 else {
            throw DuetError(
                status: .failure, attempt: "cannot start the web server for the demo's song",
                result: errorText(-port), hint: "")
        }
        // Without the user's proxy, which would look for the song on its own machine.
        setenv("no_proxy", "127.0.0.1", 1)
        let songs = ["song", "voice"].map { ["http://127.0.0.1:\(port)/\($0).mp3"] }
        let plan = try LivePlan(
            songs: songs,
            mix: MixPlan(
                second: mic.second, configured: config.values.assignments,
                [self.song, mic, output, values]),
            jack: jack, micPatterns: ["none"], time: time, control: control, report: report,
            hasVoice: true, config: config.values)
        try LiveRun(plan).run()
    }
}
