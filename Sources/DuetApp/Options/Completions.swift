import ArgumentParser
import AudioMedia

// What a shell offers for values.

extension CompletionKind {
    /// The names of JACK's ports, from JACK's own tool where it is installed; a server that hangs does
    /// not hold the shell up.
    static var ports: CompletionKind {
        .shellCommand("echo none; timeout 1 jack_lsp 2>/dev/null")
    }

    /// The sections of the user's `duet.conf`.
    static var profiles: CompletionKind {
        .custom { _, _, _ in
            guard let folder = UserFolder.configuration else { return [] }
            let file = SettingsFile.read([folder + FileName("/duet.conf")])[0]
            return file.lines.map(\.text).filter { $0.hasPrefix("[") && $0.hasSuffix("]") }
                .map { String($0.dropFirst().dropLast()) }
        }
    }

    /// Every address of a value, with the equals sign.
    static var addresses: CompletionKind {
        .custom { _, _, start in
            Vocabulary.all.parameters.map { "\($0.address)=" }.filter { $0.hasPrefix(start) }
        }
    }

    /// The names of all cases.
    static func choices<Choice: CaseIterable & RawRepresentable<String>>(
        _ type: Choice.Type
    ) -> CompletionKind {
        .list(Choice.allCases.map(\.rawValue))
    }
}
