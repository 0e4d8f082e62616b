import ArgumentParser

/// Output volume, pan law and limiter: what happens to the sum of the two sources.
struct OutputOptions: MixOptions {
    @Option(
        of: "/out/volume",
        ArgumentHelp("Volume of the output: 0…4, or -6dB (default 1).", valueName: "volume"))
    var volume: Assignment?

    @Option(
        of: "/out/pan-law",
        ArgumentHelp(
            "How a pan becomes two gains: constant-power (default), linear, balance.",
            valueName: "law"))
    var panLaw: Assignment?

    @Flag(help: "No limiter: the output may exceed the ceiling. Mind your ears.")
    var noLimiter = false

    @Option(
        of: "/out/limiter/ceiling",
        ArgumentHelp("The limiter's highest level, -60…0 dBFS (default -0.3).", valueName: "dB"))
    var ceiling: Assignment?

    var assignments: [Assignment] {
        let bypass = noLimiter ? try? Assignment("/out/limiter/bypass", "on") : nil
        return [volume, panLaw, ceiling, bypass].compactMap { $0 }
    }
}
