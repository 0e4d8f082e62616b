import CDemo
import Glibc
import SystemSupport

/// The command `demo`: plays a song and a voice that come with the program as `sing` would.
struct Demo: ProgramCommand {
    static let summary = "Hear duet with a built-in song and voice."
    static let usage = "[<options>]"
    static let discussion = """
        Needs no microphone or network, and without a sound card it runs silently. It leaves \
        your microphone unconnected, and ends by itself. Song and voice go through the same \
        streaming, decoding and JACK ports as yours. In the second half it removes the melody, \
        adds reverb to the voice, and transposes both up by two semitones, unless you set these \
        yourself.
        """
    static let hasKeys = true

    let options: OptionValues

    init(_ options: OptionValues) { self.options = options }

    static func ignored(in values: OptionValues) -> [OptionRow] { [.stereoMic] }

    static func problem(in values: OptionValues) -> OptionProblem? {
        values[.stereoMic]
            ? OptionProblem(
                "--stereo-mic does not go with demo: its voice is mono", [.stereoMic]) : nil
    }

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
        let plan = LivePlan(
            options, songs: songs, mix: try options.mix(second: .mic(channelCount: 1)),
            remembers: false, hasVoice: true)
        try LiveRun(plan).run()
    }
}
