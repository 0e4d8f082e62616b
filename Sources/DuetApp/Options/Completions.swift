import ArgumentParser

// What a shell offers for values.

extension CompletionKind {
    /// The names of ports that can be a microphone; a server that hangs does not hold the shell up.
    static var microphones: CompletionKind { ports("--list-microphones") }

    /// The names of ports that can be heard.
    static var outputs: CompletionKind { ports("--list-outputs") }

    private static func ports(_ option: String) -> CompletionKind {
        .shellCommand("echo none; timeout 2 duet doctor \(option) 2>/dev/null")
    }

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
