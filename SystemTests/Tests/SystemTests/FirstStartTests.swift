import Foundation
import Rig
import Testing

/// `scripts/duet` on machines where packages or the compiler are missing. Their programs are not on the
/// path, and their files are hidden in a mount namespace, which takes root. Programs that would change
/// the machine are stand-ins that note how they were called.
@Suite(
    .serialized, .disabled(if: JackServer.isPipeWire),
    .enabled(if: getuid() == 0, "takes the right to mount"))
struct FirstStartTests {
    /// All packages that duet is built with, as scripts/lib/packages.sh orders them.
    private static let packages =
        "pkg-config libjack-jackd2-dev libmpg123-dev libcurl4-openssl-dev libsoxr-dev "
        + "librubberband-dev libsndfile1-dev libflac-dev libogg-dev libvorbis-dev "
        + "libopusfile-dev liblo-dev libzita-resampler-dev libmysofa-dev libspeexdsp-dev "
        + "libkissfft-dev libjansson-dev libebur128-dev libuchardet-dev zlib1g-dev jackd2"
    /// What shows that they are there.
    private static let traces = ["/usr/bin/pkg-config", "/usr/bin/jackd", "/usr/include"]
    /// Programs that every machine has, and what is built with and played through.
    private static let tools = [
        "bash", "cat", "chmod", "cp", "dd", "dirname", "env", "find", "getconf", "grep", "head",
        "jackd",
        "ln", "mkdir", "mktemp", "mv", "pkg-config", "readlink", "rm", "sed", "setpriv", "touch",
        "tr", "umount",
    ]
    /// “Installs” what was hidden.
    private static let apt = #"""
        if [ "$1" = install ]; then
            for place in $HIDDEN; do
                umount "$place" 2>/dev/null || ln -s "$place" "${0%/*}/${place##*/}"
            done
        fi
        """#

    private let folder: TemporaryFolder
    /// All programs that there are, and what those among them noted that are stand-ins.
    private let (programs, notes): (URL, URL)
    init() throws {
        folder = try TemporaryFolder()
        programs = folder.url.appendingPathComponent("bin")
        notes = folder.url.appendingPathComponent("notes")
        try FileManager.default.createDirectory(at: programs, withIntermediateDirectories: true)
        try Data().write(to: notes)
        chmod(folder.url.path, 0o755)
        chmod(notes.path, 0o666)
    }

    /// Puts a program on the path that notes its arguments, and does no more than `script`.
    private func standIn(_ name: String, _ script: String = "") throws {
        let file = programs.appendingPathComponent(name)
        try "#!/bin/bash\necho \"\(name) $*\" >> '\(notes.path)'\n\(script)\n".write(
            to: file, atomically: false, encoding: .utf8)
        chmod(file.path, 0o755)
    }

    private func noted() throws -> [Substring] {
        try String(contentsOf: notes, encoding: .utf8).split(separator: "\n")
    }

    /// The project with a source and without anything built, which everybody may read.
    private func bareProject() throws -> URL {
        let project = folder.url.appendingPathComponent("project")
        try FileManager.default.createDirectory(
            at: project.appendingPathComponent("Sources"), withIntermediateDirectories: true)
        try FileManager.default.copyItem(
            atPath: Readme.path("scripts"), toPath: project.path + "/scripts")
        for name in ["Package.swift", "Sources/one.swift", "Sources/two.swift"] {
            try Data().write(to: project.appendingPathComponent(name))
        }
        try Tool.run(["chmod", "-R", "a+rX", project.path])
        return project
    }

    /// Runs `scripts/duet ARGUMENTS` of a project with nothing on the path but `tools` and the stand-ins.
    /// Programs in `hidden` are not there, folders are empty, and so are files.
    private func start(
        _ arguments: [String], in project: String = Readme.path(""), hiding hidden: [String] = [],
        isReadOnly: Bool = true, runner: [String] = []
    ) throws -> ChildProcess {
        for name in Self.tools where !hidden.contains("/usr/bin/\(name)") {
            let place = programs.appendingPathComponent(name).path
            if access(place, F_OK) == 0 { continue }
            try FileManager.default.createSymbolicLink(
                atPath: place, withDestinationPath: "/usr/bin/\(name)")
        }
        let script = """
            set -e
            for place in $HIDDEN; do
                if [ -d "$place" ]; then
                    mount -t tmpfs tmpfs "$place"
                elif [[ $place != /usr/bin/* ]]; then
                    mount --bind /dev/null "$place"
                fi
            done
            if \(isReadOnly); then mount --bind "$0" "$0" && mount -o remount,ro,bind "$0"; fi
            exec env PATH='\(programs.path)' "${@:2:$1}" "$0/scripts/duet" "${@:2+$1}"
            """
        let child = try ChildProcess(
            "unshare",
            ["--mount", "bash", "-c", script, project, "\(runner.count)"] + runner + arguments,
            environment: ["HIDDEN": hidden.joined(separator: " ")])
        try child.waitForExit()
        return child
    }

    private static let version = Result { try Duet.run(["--version"]).output }

    @Test func anUpToDateDuetNeedsNoCompilerAndWritesNothing() throws {
        try standIn("swift")
        let duet = try start(["--version"])
        #expect(duet.exitSoFar == .code(0))
        #expect(try duet.output == Self.version.get())
        #expect(duet.errors.isEmpty)
        #expect(try noted().isEmpty)
    }

    @Test func allPackagesAreInstalled() throws {
        try standIn("apt-get", Self.apt)
        let duet = try start(["--version"], hiding: Self.traces)
        #expect(duet.exitSoFar == .code(0))
        #expect(try duet.output == Self.version.get())
        #expect(duet.errors == "missing packages: \(Self.packages)\n")
        #expect(
            try noted() == [
                "apt-get update -q",
                "apt-get install -q -y --no-install-recommends \(Self.packages)",
            ])
    }

    @Test func onlyMissingPackagesAreInstalled() throws {
        try standIn("apt-get", Self.apt)
        let place = try Tool.run(["pkg-config", "--variable=pcfiledir", "soxr"])
        let soxr = String(decoding: place, as: UTF8.self).trimmingCharacters(in: .newlines)
        let duet = try start(
            ["--version"], hiding: [soxr + "/soxr.pc", "/usr/include/zita-resampler"])
        #expect(duet.exitSoFar == .code(0))
        #expect(try duet.output == Self.version.get())
        #expect(
            try noted().last
                == "apt-get install -q -y --no-install-recommends libsoxr-dev libzita-resampler-dev"
        )
    }

    @Test func withoutAptTheMissingPackagesAreNamed() throws {
        let duet = try start(["--version"], hiding: Self.traces)
        #expect(duet.exitSoFar == .code(1))
        #expect(duet.output.isEmpty)
        #expect(
            duet.errors == """
                missing packages: \(Self.packages)
                there is no apt here: install what these Debian packages hold, then run this again

                """)
    }

    @Test func aPackageThatDoesNotComeEndsIt() throws {
        try standIn("apt-get")
        let duet = try start(["--version"], hiding: ["/usr/bin/jackd"])
        #expect(duet.exitSoFar == .code(1))
        #expect(
            duet.errors == "missing packages: jackd2\nstill missing after installing: jackd2\n")
    }

    private static let nobody = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]

    /// Somebody who types the wrong password.
    @Test func anOrdinaryUserIsAskedBySudo() throws {
        try standIn("swift")
        try standIn("swiftc")
        try standIn("sudo", "exit 1")
        try standIn("apt-get")
        let duet = try start(
            [], in: bareProject().path, hiding: ["/usr/bin/jackd"], runner: Self.nobody)
        #expect(duet.exitSoFar == .code(1))
        #expect(duet.errors == "missing packages: jackd2\n")
        #expect(try noted() == ["swiftc -o probe probe.swift", "sudo apt-get update -q"])
    }

    @Test func withoutSudoTheCommandForRootIsNamed() throws {
        try standIn("swift")
        try standIn("swiftc")
        try standIn("apt-get")
        let duet = try start(
            [], in: bareProject().path, hiding: ["/usr/bin/jackd"],
            runner: Self.nobody)
        #expect(duet.exitSoFar == .code(1))
        #expect(
            duet.errors == """
                missing packages: jackd2
                there is no sudo here: as root, run 'apt-get install jackd2'

                """)
    }

    @Test func withoutACompilerNothingIsInstalled() throws {
        try standIn("apt-get", Self.apt)
        let project = try bareProject().path
        let duet = try start([], in: project, hiding: Self.traces)
        #expect(duet.exitSoFar == .code(1))
        #expect(
            duet.errors
                == "no swift here: install the Swift 6.3 toolchain from https://www.swift.org/install\n"
        )
        // One that was unpacked without what it needs.
        try standIn("swift")
        try standIn("swiftc", "printf 'swift: error while loading libx.so\\nmore\\n' >&2; exit 127")
        let broken = try start([], in: project, hiding: Self.traces)
        #expect(broken.exitSoFar == .code(1))
        #expect(
            broken.errors == """
                swift: error while loading libx.so
                swift cannot build here: install the packages that https://www.swift.org/install
                lists for this system

                """)
        #expect(try noted() == ["swiftc -o probe probe.swift"])
    }

    @Test func duetIsBuiltWhenASourceHasChanged() throws {
        try standIn("swiftc")
        try standIn(
            "swift",
            #"""
            if [ "$1" = build ]; then
                mkdir -p .build/release
                echo '#!/bin/bash' > .build/release/duet
                echo 'printf "%s\n" "$PWD" "$@"; exit' >> .build/release/duet
                # Room for a build ID, as a linker leaves it.
                printf '\4\0\0\0\140\0\0\0\3\0\0\0GNU\0%96d' 0 >> .build/release/duet
                chmod +x .build/release/duet
            fi
            """#)
        let project = try bareProject()
        // The linker's options depend on the machine.
        func builds() throws -> [String] {
            try noted().map { String($0).replacing(#/ -Xswiftc .*(?= --product)/#, with: "") }
        }
        let built = [
            "swiftc -o probe probe.swift",
            "swift build -c release --static-swift-stdlib --product duet",
        ]
        func play() throws {
            let duet = try start(["a song", "--loop"], in: project.path, isReadOnly: false)
            #expect(duet.exitSoFar == .code(0), "\(duet.errors)")
            // In the folder of who types it, with the words as they are.
            let here = FileManager.default.currentDirectoryPath
            #expect(duet.output == "\(here)\na song\n--loop\n")
        }
        try play()
        #expect(try builds() == built)
        try play()
        #expect(try builds() == built)
        try FileManager.default.removeItem(at: project.appendingPathComponent("Sources/two.swift"))
        try play()
        #expect(try builds() == built + built)
    }

    @Test func aBuildThatFailsSaysWhy() throws {
        try standIn("swiftc")
        try standIn("swift", #"if [ "$1" = build ]; then echo 'error: wrong'; exit 1; fi"#)
        let duet = try start([], in: bareProject().path, isReadOnly: false)
        #expect(duet.exitSoFar == .code(1))
        #expect(duet.output.isEmpty)
        #expect(
            duet.errors == "building duet; the first time takes some minutes\nerror: wrong\n")
    }
}
