import ArgumentParser

/// A microphone for a second singer.
struct SecondMicOptions: ParsableArguments {
    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            """
            Microphone port for a second singer, as with --mic. Its addresses start with /mic2.
            """, valueName: "port"),
        completion: .ports,
        transform: patternArgument)
    var secondMic: String?

    /// Refuses what does not go together: the driver captures two channels at most.
    func check(beside mic: MicOptions) throws {
        guard secondMic == nil || !mic.stereoMic else {
            throw ValidationError(
                "--second-mic does not go with --stereo-mic: duet captures two channels at most")
        }
    }

    /// What plays beside the song.
    func second(beside mic: MicOptions) -> MixPlan.Second {
        secondMic == nil ? mic.second : .twoMics
    }
}
