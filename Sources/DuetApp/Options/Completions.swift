import ArgumentParser

// What a shell offers for values.

extension CompletionKind {
    /// The names of JACK's ports, from JACK's own tool where it is installed; a server that hangs does
    /// not hold the shell up.
    static var ports: CompletionKind {
        .shellCommand("echo none; timeout 1 jack_lsp 2>/dev/null")
    }

    /// The names of all cases.
    static func choices<Choice: CaseIterable & RawRepresentable<String>>(
        _ type: Choice.Type
    ) -> CompletionKind {
        .list(Choice.allCases.map(\.rawValue))
    }
}
