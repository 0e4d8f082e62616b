import ArgumentParser

/// What is remembered of songs.
struct MemoryOptions: ParsableArguments {
    @Flag(help: "Delete the saved settings of each song before it starts.")
    var forget = false

    @Flag(
        help: "Do not load or save song settings: volume, key, tempo, vocals and lyrics offset.")
    var noMemory = false

    func validate() throws {
        guard !forget || !noMemory else {
            throw ValidationError("--forget does not go with --no-memory")
        }
    }
}
