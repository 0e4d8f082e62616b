import ArgumentParser

/// Output volume, pan law and limiter: what happens to the sum of the two sources.
struct OutputOptions: MixOptions {
    @Option(
        of: "/out/volume",
        "Output volume", valueName: "volume")
    var volume: Assignment?

    @Option(
        of: "/out/pan-law",
        "Pan law", valueName: "law")
    var panLaw: Assignment?

    @Flag(help: "Turn the limiter off; loud peaks can hurt your ears.")
    var noLimiter = false

    @Option(
        of: "/out/limiter/ceiling",
        "Highest output level", valueName: "dB")
    var ceiling: Assignment?

    var assignments: [Assignment] {
        let bypass = noLimiter ? try? Assignment("/out/limiter/bypass", "on") : nil
        return [volume, panLaw, ceiling, bypass].compactMap { $0 }
    }
}
