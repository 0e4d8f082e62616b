import ArgumentParser

/// Output volume, pan law and limiter: what happens to the sum of the two sources.
struct OutputOptions: MixOptions {
    @Option(
        of: "/out/volume",
        "Volume of the output", valueName: "volume")
    var volume: Assignment?

    @Option(
        of: "/out/pan-law",
        "How a pan becomes two gains", valueName: "law")
    var panLaw: Assignment?

    @Flag(help: "No limiter: the output may exceed the ceiling. Mind your ears.")
    var noLimiter = false

    @Option(
        of: "/out/limiter/ceiling",
        "The limiter's highest level", valueName: "dB")
    var ceiling: Assignment?

    var assignments: [Assignment] {
        let bypass = noLimiter ? try? Assignment("/out/limiter/bypass", "on") : nil
        return [volume, panLaw, ceiling, bypass].compactMap { $0 }
    }
}
