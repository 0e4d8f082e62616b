import AudioMedia
import Glibc
import SystemSupport

/// Takes a song apart: gives it to a separator, judges what comes of it, and keeps that.
///
/// Blocks; for a thread of its own with the stack of libraries.
struct SongSeparator: Sendable {
    enum Outcome: Sendable, Equatable {
        /// It is kept in that folder.
        case made(FileName)
        /// It was made before, or the user has its parts.
        case had
        /// Why not, for people.
        case failed(String)
        case cancelled
    }

    /// How far it is.
    enum Stage: Sendable, Equatable {
        /// The song is read.
        case reads
        /// The separator works, and says that this part is done, 0…1, if it says that.
        case separates(Double?)
        /// What it made is fitted to the song.
        case fits
    }

    let separator: Separator
    let cache: StemsCache

    func run(
        _ song: Location, stage: (Stage) -> Void, unless isCancelled: () -> Bool
    ) -> Outcome {
        guard let path = song.fileNeeded else { return .failed("only files can be taken apart") }
        guard access(path.cString, R_OK) == 0 else { return .failed(errorText(errno)) }
        guard let mark = StemFolder.mark(of: song) else {
            return .failed("this is no file, or an empty one")
        }
        // One that cannot be read, since a machine stopped before the disk had it, is made anew.
        if let had = cache.stems.stems(of: song), SongSeparation.canRead(had) { return .had }
        if SongSeparation.hasOwnParts(song) { return .had }
        do throws(SeparationFault) {
            let work = try cache.makeWorkFolder()
            // Whatever happens, nothing stays of it.
            defer { _ = FolderRemoval.run(work) }
            return try run(song, mark, in: work, stage, isCancelled)
        } catch {
            return error == .cancelled ? .cancelled : .failed("\(error)")
        }
    }

    private func run(
        _ song: Location, _ mark: String, in work: FileName, _ stage: (Stage) -> Void,
        _ isCancelled: () -> Bool
    ) throws(SeparationFault) -> Outcome {
        let (file, parts, result) = (work + "/song.wav", work + "/parts", work + "/result")
        for folder in [parts, result, work + "/tmp"] {
            guard mkdir(folder.cString, 0o700) == 0 else {
                throw .notWritten(reason: "cannot make \(folder): \(errorText(errno))")
            }
        }
        stage(.reads)
        let (seconds, peak) = try SongSeparation.write(song, to: file, unless: isCancelled)
        stage(.separates(nil))
        let end = SeparatorProcess.run(
            separator.program, separator.arguments(song: file, parts: parts), in: work,
            environment: environment(work), progress: { stage(.separates($0)) },
            unless: isCancelled)
        // A model that spleeter could not fetch leaves an empty folder, and is not fetched again.
        rmdir((models + "/2stems").cString)
        switch end {
        case .cancelled: return .cancelled
        case .failed(let reason): return .failed(reason)
        // Some end well that have done nothing: what they made says it.
        case .ended: break
        }
        guard let found = SongSeparation.parts(in: parts) else { throw .noParts }
        stage(.fits)
        let fit = try SongSeparation.fit(
            found, to: file, peak: peak, in: result, unless: isCancelled)
        let facts = JSONValue.object([
            ("tool", .text(separator.name)), ("seconds", .number(seconds)),
            ("peak", .number(Double(peak))),
            ("lag", .count(fit.lag)), ("instrumentalGain", .number(Double(fit.instrumental))),
            ("vocalsGain", .number(Double(fit.vocals))), ("residual", .number(fit.residual)),
            ("duet", .text(Version.release)),
        ])
        let code = WholeFile.replace(
            result + "/stem.json", with: facts.encoded + "\n", draft: result + "/.stem.json")
        guard code == 0 else { throw .notWritten(reason: errorText(code)) }
        try cache.keep(result, of: mark)
        return .made(cache.stems.folder(mark))
    }

    /// Where models stay that separators fetch.
    private var models: FileName { cache.folder.folder + "models" }

    /// Variables for the separator: where it may write, how many processors it takes, and where models stay
    /// that it fetches.
    private func environment(_ work: FileName) -> [(String, FileName)] {
        let processors = max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN)) - 1)
        _ = UserFolder.make(models)
        var variables: [(String, FileName)] = [
            ("TMPDIR", work + "/tmp"), ("PYTHONUNBUFFERED", "1"),
            ("OMP_NUM_THREADS", FileName("\(processors)")),
        ]
        // spleeter's, and audio-separator's, which are lost with the present folder and the temporary one else.
        for name in ["MODEL_PATH", "AUDIO_SEPARATOR_MODEL_DIR"] where getenv(name) == nil {
            variables.append((name, models))
        }
        return variables
    }
}
