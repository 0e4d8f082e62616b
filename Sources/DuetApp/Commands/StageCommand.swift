/// The command `stage`: shows on another terminal what singers see of the duet that runs.
struct StageCommand: ProgramCommand {
    static let summary = "Show the words of a running duet on another terminal."
    static let usage = "[--to <name>] [--letters <kind>]"
    static let discussion = """
        For a projector, or a second screen: the words of the song as large as they fit, its picture, \
        what comes next. Shows the duet that you started last, in any terminal; from another machine \
        'ssh -t HOST duet stage' does. q or Ctrl-C ends this view alone.
        """

    let options: OptionValues

    init(_ options: OptionValues) { self.options = options }

    func run() throws {
        let view = try StageView(
            of: RunningDuet.newest(client: options[.to]), letters: options[.letters]?.way)
        if try view.run() { Output.standard.write("the duet that was shown has ended\n") }
    }
}
