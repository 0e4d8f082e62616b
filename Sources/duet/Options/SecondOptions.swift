import ArgumentParser

/// The volume and pan of the second song of `mix`.
struct SecondOptions: MixOptions {
    @Option(
        of: "/second/volume",
        ArgumentHelp("Volume of the second song: 0…4, or -6dB (default 1).", valueName: "volume"))
    var secondVolume: Assignment?

    @Option(
        of: "/second/pan",
        ArgumentHelp(
            "Pan of the second song: -1…1, or left, centre, right (default 0).", valueName: "pan"))
    var secondPan: Assignment?

    var assignments: [Assignment] { [secondVolume, secondPan].compactMap { $0 } }
}
