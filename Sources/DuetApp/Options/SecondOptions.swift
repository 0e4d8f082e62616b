import ArgumentParser

/// The volume, the pan and the place of the second song of `mix`.
struct SecondOptions: MixOptions {
    @Option(
        of: "/second/volume",
        "Second song's volume", valueName: "volume")
    var secondVolume: Assignment?

    @Option(
        of: "/second/pan",
        "Second song's pan", valueName: "pan")
    var secondPan: Assignment?

    @Option(
        of: "/second/azimuth",
        "Direction of the second song in headphones, -90 left, 90 right",
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
