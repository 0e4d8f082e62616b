import ArgumentParser

// What a shell offers for values.

extension CompletionKind {
    /// The word for no port. Only a client of the server could list its ports, and `jackd -T` ends
    /// when its last client leaves.
    static var ports: CompletionKind { .list(["none"]) }

    /// Audio files, playlists and folders.
    static var songs: CompletionKind {
        .file(extensions: DashedName.endings.map { String($0.dropFirst()) })
    }

    /// The names of all cases.
    static func choices<Choice: CaseIterable & RawRepresentable<String>>(
        _ type: Choice.Type
    ) -> CompletionKind {
        .list(Choice.allCases.map(\.rawValue))
    }
}
