import AudioMedia
import Glibc
import SystemSupport

/// A program that takes songs apart, and how it is called: by its arguments, never by a shell.
struct Separator: Sendable, Equatable {
    /// As people call it.
    let name: String
    let program: FileName
    /// With `{in}` and `{out}` where the song and the folder for its parts are named.
    let arguments: [String]

    /// The words for the song, and for the folder of its parts.
    static let (input, output) = ("{in}", "{out}")

    /// A program that is known, by what it is called.
    private struct Known {
        let name: String
        let arguments: [String]
    }

    /// Those that are looked for, the best first. Each is told to write both parts as they are: Demucs and
    /// audio-separator scale them otherwise, and spleeter stops after ten minutes.
    private static let known = [
        Known(
            name: "demucs",
            arguments: [
                "--two-stems", "vocals", "-n", "htdemucs", "--float32", "--clip-mode", "none",
                "-j", "1", "-o", output, input,
            ]),
        Known(
            name: "audio-separator",
            arguments: [
                input, "-m", "UVR-MDX-NET-Inst_HQ_4.onnx", "--output_dir", output,
                "--output_format", "WAV", "--normalization", "1.0", "--custom_output_names",
                #"{"Vocals":"vocals","Instrumental":"instrumental"}"#,
            ]),
        Known(
            name: "umx",
            arguments: [
                input, "--targets", "vocals", "--residual", "accompaniment", "--outdir", output,
            ]),
        Known(
            name: "spleeter",
            arguments: [
                "separate", "-p", "spleeter:2stems", "-o", output, "-d", "3600", input,
            ]),
    ]

    /// The names of those that are looked for.
    static let names = known.map(\.name)

    /// The user's own, else the first that is installed; nil: there is none.
    static func find(own: SeparatorCommand?) -> Separator? {
        if let own {
            guard let program = path(of: own.words[0]) else { return nil }
            return Separator(
                name: FileName(own.words[0]).last.description, program: program,
                arguments: Array(own.words.dropFirst()))
        }
        for known in known {
            guard let program = path(of: known.name) else { continue }
            return Separator(name: known.name, program: program, arguments: known.arguments)
        }
        return nil
    }

    /// Where a program is that is named as a shell names it; nil: nowhere.
    private static func path(of name: String) -> FileName? {
        func isProgram(_ file: FileName) -> Bool {
            file.kind == S_IFREG && access(file.cString, X_OK) == 0
        }
        if name.contains("/") { return isProgram(FileName(name)) ? FileName(name) : nil }
        guard let folders = getenv("PATH").map({ FileName(cString: $0) }) else { return nil }
        return folders.bytes.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: true)
            .lazy.map { FileName(bytes: $0) + "/" + FileName(name) }
            .first { $0.isAbsolute && isProgram($0) }
    }

    /// The arguments for a song and a folder.
    func arguments(song: FileName, parts: FileName) -> [FileName] {
        arguments.map { word in
            // Both are in a folder of this program's, with a name of its own making.
            FileName(
                word.replacing(Self.input, with: song.description)
                    .replacing(Self.output, with: parts.description))
        }
    }

    /// What people are told who have none.
    static let advice =
        "install demucs ('pip install demucs'), \(names.dropFirst().joined(separator: ", ")), or name a "
        + "command by separator= in duet.conf"
}

/// A command of the user's that takes songs apart.
struct SeparatorCommand: Sendable, Equatable {
    /// The program and its arguments.
    let words: [String]

    /// Reads `PROGRAM ARGUMENT… {in} … {out}`, words as a shell reads them.
    init(_ text: String) throws(Refusal) {
        let words = ShellWords.read(text).map(\.value)
        guard let program = words.first, !program.isEmpty, !program.contains("{") else {
            throw Refusal(reason: "use a command: PROGRAM {in} {out}")
        }
        for place in [Separator.input, Separator.output]
        where !words.dropFirst().contains(where: { $0.contains(place) }) {
            throw Refusal(
                reason: "the command needs \(place): "
                    + (place == Separator.input ? "the song's file" : "the folder for its parts"))
        }
        self.words = words
    }
}
