import ArgumentParser

/// A microphone for a second singer.
struct SecondMicOptions: ParsableArguments {
    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            """
            A second microphone, for a second singer: the port to sing into, as --mic takes it, or \
            none. It has the port mic_2 and all that /mic has at /mic2, without voice processing.
            """, valueName: "pattern"),
        transform: patternArgument)
    var secondMic: String?

    /// Refuses what does not go together: the driver captures two channels at most.
    func check(beside mic: MicOptions) throws {
        guard secondMic == nil || !mic.stereoMic else {
            throw ValidationError(
                "--second-mic does not work with --stereo-mic: two channels are captured at most")
        }
    }

    /// What plays beside the song.
    func second(beside mic: MicOptions) -> MixPlan.Second {
        secondMic == nil ? mic.second : .twoMics
    }
}
