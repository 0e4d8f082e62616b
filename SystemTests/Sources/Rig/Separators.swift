import Foundation

/// Stand-ins for the programs that take songs apart: each reads its arguments as the real one does, writes where
/// that writes, and lays down parts that lie ready. What goes wrong with the real ones is asked for by
/// variables of the environment.
public struct Separators {
    /// Where the programs are.
    public let folder: String
    private let parts: String

    /// - Parameters:
    ///   - names: the programs that are there.
    ///   - vocals: interleaved stereo samples at 44.1 kHz, as `instrumental`.
    public init(
        _ names: [String], in folder: TemporaryFolder, vocals: [Float], instrumental: [Float]
    ) throws {
        self.folder = folder.url.appendingPathComponent("separators").path
        parts = folder.url.appendingPathComponent("parts").path
        for place in [self.folder, parts] {
            try FileManager.default.createDirectory(
                atPath: place, withIntermediateDirectories: true)
        }
        for (name, samples) in [("vocals", vocals), ("instrumental", instrumental)] {
            let raw = "\(parts)/\(name).f32"
            try samples.withUnsafeBytes { try Data($0).write(to: URL(filePath: raw)) }
            try Tool.run([
                "sox", "-t", "f32", "-r", "44100", "-c", "2", raw, "-e", "float", "-b", "32",
                "\(parts)/\(name).wav",
            ])
        }
        for name in names {
            let path = "\(self.folder)/\(name)"
            try (Self.script(name) + Self.work).write(
                toFile: path, atomically: true, encoding: .utf8)
            try FileManager.default.setAttributes(
                [.posixPermissions: 0o755], ofItemAtPath: path)
        }
    }

    /// What duet finds them by, with what they do wrong, as `VGAIN=0.9`.
    public func environment(_ faults: [String: String] = [:]) -> [String: String?] {
        let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
        var variables: [String: String?] = ["PATH": "\(folder):\(path)", "PARTS": parts]
        for (name, value) in faults { variables[name] = value }
        return variables
    }

    /// Reads the arguments into `song`, `vocals` and `rest`, where the parts go.
    private static func script(_ name: String) -> String {
        let head = "#!/bin/bash\nset -u\n"
        switch name {
        case "demucs":
            return head + """
                [ "$1 $2" = "--two-stems vocals" ] || exit 2
                while (($#)); do
                    case $1 in
                    -o) out=$2; shift ;;
                    -n | -j | --two-stems | --clip-mode) shift ;;
                    --float32) ;;
                    -*) exit 2 ;;
                    *) song=$1 ;;
                    esac
                    shift
                done
                # A missing song is said, and no failure.
                [ -f "$song" ] || { echo "$song does not exist"; exit 0; }
                name=$(basename "$song")
                folder=$out/htdemucs/${name%.*}
                vocals=$folder/vocals.wav rest=$folder/no_vocals.wav

                """
        case "audio-separator":
            return head + """
                song=$1
                shift
                while (($#)); do
                    case $1 in
                    --output_dir) folder=$2 ;;
                    --output_format) [ "$2" = WAV ] || exit 2 ;;
                    --normalization) [ "$2" = 1.0 ] || exit 2 ;;
                    --custom_output_names)
                        [ "$2" = '{"Vocals":"vocals","Instrumental":"instrumental"}' ] || exit 2 ;;
                    -m) ;;
                    *) exit 2 ;;
                    esac
                    shift 2
                done
                [ -n "$AUDIO_SEPARATOR_MODEL_DIR" ] || exit 2
                vocals=$folder/vocals.wav rest=$folder/instrumental.wav

                """
        case "umx":
            return head + """
                song=$1
                [ "$2 $3 $4 $5" = "--targets vocals --residual accompaniment" ] || exit 2
                name=$(basename "$song")
                rest=residual
                if [ "$6" = --aggregate ]; then
                    [ "$7" = '{"vocals":["vocals"],"accompaniment":["residual"]}' ] || exit 2
                    rest=accompaniment
                    shift 2
                fi
                [ "$6" = --outdir ] || exit 2
                folder=$7/${name%.*}
                vocals=$folder/vocals.wav rest=$folder/$rest.wav

                """
        case "spleeter":
            return head + """
                [ "$1 $2 $3 $4" = "separate -p spleeter:2stems -o" ] || exit 2
                out=$5 song=$8
                [ "$6 $7" = "-d 3600" ] || exit 2
                name=$(basename "$song")
                folder=$out/${name%.*}
                vocals=$folder/vocals.wav rest=$folder/accompaniment.wav

                """
        default:
            return head + """
                song=$1 folder=$2
                vocals=$folder/vocals.wav rest=$folder/instrumental.wav

                """
        }
    }

    private static let work = """
        [ -f "$song" ] || exit 3
        [ -z "${FAILS:-}" ] || { echo "CUDA is out of memory" >&2; exit "$FAILS"; }
        for ((i = 0; i < ${BUSY:-0}; i++)); do (while :; do :; done) & done
        for percent in 0 25 50 75 100; do
            printf '\\r %d%%|####   | 1/4 [00:01]' $percent >&2
            sleep ${STEP:-0.05}
        done
        [ -z "${HANGS:-}" ] || sleep "$HANGS"
        [ -z "${WRITES_NOTHING:-}" ] || exit 0
        mkdir -p "$folder"
        write() { sox "$PARTS/$1.wav" -e float -b 32 "$2" vol "$3" pad "${LAG:-0}s" trim 0 ${CUT:-}; }
        write ${VOCALS:-vocals} "$vocals" ${VGAIN:-1}
        write ${INSTRUMENTAL:-instrumental} "$rest" ${IGAIN:-1}
        kill $(jobs -p) 2>/dev/null
        exit 0

        """
}
