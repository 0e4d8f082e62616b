import ArgumentParser
import AudioGraph

/// Output volume, pan law and limiter: what happens to the sum of the two sources.
struct OutputOptions: ParsableArguments {
    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Volume of the output: 0…4, or -6dB (default 1).", valueName: "volume"),
        transform: volumeArgument)
    var volume = Volume.unity

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "How a pan becomes two gains: constant-power (default), linear, balance.",
            valueName: "law"),
        transform: panLawArgument)
    var panLaw = PanLaw.constantPower

    @Flag(help: "No limiter: the output may exceed the ceiling. Mind your ears.")
    var noLimiter = false

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "The limiter's highest level, -60…0 dBFS (default -0.3).", valueName: "dB"),
        transform: ceilingArgument)
    var ceiling = Decibels(-0.3)
}
