import ArgumentParser

/// The volume and pan of the second song of `mix`.
struct SecondOptions: MixOptions {
    @Option(
        of: "/second/volume",
        "Volume of the second song", valueName: "volume")
    var secondVolume: Assignment?

    @Option(
        of: "/second/pan",
        "Pan of the second song", valueName: "pan")
    var secondPan: Assignment?

    var assignments: [Assignment] { [secondVolume, secondPan].compactMap { $0 } }
}
