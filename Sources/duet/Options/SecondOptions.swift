import ArgumentParser

/// The volume, the pan and the place of the second song of `mix`.
struct SecondOptions: MixOptions {
    @Option(
        of: "/second/volume",
        "Volume of the second song", valueName: "volume")
    var secondVolume: Assignment?

    @Option(
        of: "/second/pan",
        "Pan of the second song", valueName: "pan")
    var secondPan: Assignment?

    @Option(
        of: "/second/azimuth",
        "For headphones: where around your head the second song is, as --song-azimuth",
        valueName: "degrees")
    var secondAzimuth: Assignment?

    var assignments: [Assignment] {
        [secondVolume, secondPan, secondAzimuth].compactMap { $0 }
    }
}
