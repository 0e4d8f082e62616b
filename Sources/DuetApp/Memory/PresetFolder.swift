import AudioMedia
import Glibc
import SystemSupport

/// The folder of the presets that users have saved: a file for each, with addresses and values as in
/// the configuration.
struct PresetFolder: Sendable {
    /// The most presets of a kind.
    static let most = 100

    /// Nil for a user without a home.
    static let own = UserFolder.state.map { PresetFolder(path: $0 + "/presets") }

    let path: FileName

    /// Reads all presets, and waits half a second at most for the disk. Returns what is wrong with
    /// files, too, for people.
    func read() -> (presets: [OwnPreset], warnings: [String]) {
        let found = BoundedCall.answer(milliseconds: 500) { () -> ([OwnPreset], [String])? in
            let found = PresetKind.allCases.map(read)
            return (found.flatMap(\.presets), found.flatMap(\.warnings))
        }
        return found ?? ([], ["the presets in \(path) are not used: the disk is not responding"])
    }

    private func folder(_ kind: PresetKind) -> FileName {
        path + FileName("/\(kind.rawValue)")
    }

    private func read(
        _ kind: PresetKind
    ) -> (presets: [OwnPreset], warnings: [String]) {
        let names = names(in: folder(kind))
        guard !names.isEmpty else { return ([], []) }
        let preset = EffectPreset(kind: kind, bus: kind.exemplar)
        let kinds = Dictionary(
            uniqueKeysWithValues: preset.parameters.map { ($0.address, $0.kind) })
        var presets: [OwnPreset] = []
        var warnings: [String] = []
        for name in names.prefix(Self.most) {
            let file = SettingsFile(path: folder(kind) + FileName("/\(name).conf"))
            var wrong = file.wrong
            var values: [String: Double] = [:]
            do throws(Refusal) { try OwnPreset.check(name: name, of: kind) } catch {
                wrong.refuseFile(error.reason)
            }
            for line in file.lines {
                if wrong.endsReading() { break }
                do throws(Refusal) {
                    let (address, value) = try Assignment.split(line.text)
                    guard let kind = kinds[address] else {
                        throw Refusal(reason: "\(address.prefix(60)) is not set by such presets")
                    }
                    values[preset.ending(of: address)] = try kind.read(value)
                } catch {
                    wrong.add(line.number, error.reason)
                }
            }
            // Half a preset would sound like another one.
            if wrong.warnings.isEmpty {
                presets.append(OwnPreset(kind: kind, name: name, values: values))
            } else {
                warnings.append("a preset is left out: \(wrong.warnings[0])")
            }
        }
        if names.count > Self.most {
            warnings.append("of the presets in \(folder(kind)) only \(Self.most) are used")
        }
        return (presets, warnings)
    }

    /// The names of presets, in the order of the alphabet.
    private func names(in folder: FileName) -> [String] {
        FolderNames.texts(in: folder, atMost: 10 * Self.most)
            .filter { $0.hasSuffix(".conf") }.map { String($0.dropLast(5)) }.sorted()
    }

    /// Writes a preset. One whose name differs only in case, spaces and hyphens is replaced. Blocks for as
    /// long as the disk takes.
    ///
    /// - Returns: what went wrong; empty: nothing.
    func write(_ preset: OwnPreset) -> String {
        let folder = folder(preset.kind)
        let names = names(in: folder)
        let old = names.first { plainName($0) == plainName(preset.name) }
        guard old != nil || names.count < Self.most else {
            return "\(folder) has \(Self.most) presets: remove one"
        }
        let file = folder + FileName("/\(old ?? preset.name).conf")
        let own = EffectPreset(kind: preset.kind, bus: preset.kind.exemplar)
        let lines = own.parameters.compactMap { parameter in
            preset.values[own.ending(of: parameter.address)].map {
                "\(parameter.address)=\(parameter.kind.spelling($0))\n"
            }
        }
        var code = UserFolder.make(folder)
        if code == 0 {
            let text = "# \(preset.name)\n" + lines.joined()
            code = WholeFile.replace(
                file, with: text, draft: file + FileName(".\(getpid())"))
        }
        return code == 0 ? "" : "\(file): \(errorText(code))"
    }
}
