import ArgumentParser

/// What is remembered of songs.
struct MemoryOptions: ParsableArguments {
    @Flag(help: "Forget what is remembered of the songs that are played.")
    var forget = false

    @Flag(
        help: ArgumentHelp(
            "Use nothing that is remembered of songs, and remember nothing (volume, key, tempo, "
                + "vocals and the offset of lyrics, where you changed them)."))
    var noMemory = false

    func validate() throws {
        guard !forget || !noMemory else {
            throw ValidationError("--forget changes what --no-memory leaves alone")
        }
    }
}
