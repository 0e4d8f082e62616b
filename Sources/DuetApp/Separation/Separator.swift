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

    /// Those that are looked for, the best first. audio-separator is told not to bring each part to the same peak,
    /// spleeter not to stop after ten minutes, and Open-Unmix what to call its second file, which it calls `residual` else; Demucs scales a part that would clip, which `StemFit` undoes
    /// (only version 4.1 could be told not to).
    private static let known = [
        Known(
            name: "demucs",
            arguments: [
                "--two-stems", "vocals", "-n", "htdemucs", "--float32", "-j", "1", "-o", output,
                input,
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
                input, "--targets", "vocals", "--residual", "accompaniment", "--aggregate",
                #"{"vocals":["vocals"],"accompaniment":["residual"]}"#, "--outdir", output,
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
        if name.contains("/") {
            var file = FileName(name)
            if name.hasPrefix("~/"), let home = UserFolder.home {
                file = home + FileName(String(name.dropFirst()))
            } else if !file.isAbsolute, let present = getcwd(nil, 0) {
                // The program runs in another folder.
                file = FileName(cString: present) + "/" + file
                free(present)
            }
            return isProgram(file) ? file : nil
        }
        guard let folders = getenv("PATH").map({ FileName(cString: $0) }) else { return nil }
        return folders.bytes.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: true)
            .lazy.map { FileName(bytes: $0) + "/" + FileName(name) }
            .first { $0.isAbsolute && isProgram($0) }
    }

    /// The arguments for a song and a folder.
    func arguments(song: FileName, parts: FileName) -> [FileName] {
        arguments.map { word in
            let places = [(Self.input, song), (Self.output, parts)]
            // Names are bytes, which need not be text.
            var (bytes, rest) = ([UInt8](), Array(word.utf8)[...])
            while !rest.isEmpty {
                if let (mark, file) = places.first(where: { rest.starts(with: $0.0.utf8) }) {
                    bytes += file.bytes
                    rest = rest.dropFirst(mark.utf8.count)
                } else {
                    bytes.append(rest.removeFirst())
                }
            }
            return FileName(bytes: bytes)
        }
    }

    /// What people are told who have none, or whose own is not there.
    static func missing(_ own: SeparatorCommand?) -> String {
        guard let own else { return "no separator is installed: \(advice)" }
        return "separator= in duet.conf: there is no program \(own.words[0])"
    }

    /// What people are told who have none.
    private static let advice =
        "'pipx install demucs' brings one; see 'duet help separate'"
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
