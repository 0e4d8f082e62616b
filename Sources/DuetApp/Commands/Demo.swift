import ArgumentParser
import CDemo
import Glibc
import SystemSupport

/// The command `demo`: plays a song and a voice that come with the program as `sing` would.
struct Demo: ConfiguredCommand {
    static let configuration = CommandConfiguration(
        abstract: "Hear duet with a built-in song and voice.",
        usage: "duet demo [<options>]",
        discussion: """
            Needs no microphone or network, and without a sound card it runs silently. It leaves \
            your microphone unconnected, and ends by itself. Song and voice go through the same streaming, decoding and JACK ports as \
            yours. In the second half it removes the melody, adds reverb to the voice, and transposes \
            both up by two semitones, unless you set these yourself.
            """)

    @OptionGroup(title: "Song") var song: SongOptions
    @OptionGroup(title: "Microphone") var mic: MicOptions
    @OptionGroup(title: "Output") var output: OutputOptions
    @OptionGroup(title: "Playback") var time: TimeOptions
    @OptionGroup(title: "JACK") var jack: JackOptions
    @OptionGroup(title: "Settings") var values: SetOptions
    @OptionGroup(title: "Settings") var config: ConfigurationOptions
    @OptionGroup(title: "Screen and control") var report: LiveReportOptions
    @OptionGroup(title: "Screen and control") var control: ControlOptions

    /// The demo's voice is mono.
    func passedOver(beside names: Set<String>) -> Set<String> { ["stereo-mic"] }

    mutating func validate() throws {
        guard !mic.stereoMic else {
            throw ValidationError("--stereo-mic does not go with demo: its voice is mono")
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
            jack: JackRequest(options: jack, microphone: ["none"]), time: time,
            rules: PlaybackRules(loops: time.loop), control: control, report: report,
            hasVoice: true, config: config.values)
        try LiveRun(plan).run()
    }
}
