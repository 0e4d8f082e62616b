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

    /// The options that were given, as they are typed.
    var given: [String] {
        let all = [
            ("--second-volume", secondVolume), ("--second-pan", secondPan),
            ("--second-azimuth", secondAzimuth),
        ]
        return all.filter { $0.1 != nil }.map(\.0)
    }

    var assignments: [Assignment] {
        [secondVolume, secondPan, secondAzimuth].compactMap { $0 }
    }
}
