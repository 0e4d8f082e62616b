import JackIO

/// What a session, or a later run, is to have of this one.
///
/// Main thread.
struct RunCapture {
    /// What is kept of the command line, which does not change while it plays.
    let plan: SessionState
    let mix: LiveMix
    let server: ServerConnection

    /// The run as it is now.
    ///
    /// - Parameter wholeList: whether folders and playlists are written as the songs in them, also where
    ///   users have not changed the list.
    func state(wholeList: Bool = false) -> SessionState {
        var state = plan
        state.mix = mix.settings.run
        state.songValues = mix.settings.songs.reduce(into: [:]) { $0.merge($1.values) { $1 } }
        state.places = mix.songs.places(inWholeList: wholeList)
        for (bus, list) in mix.songs.lists(whole: wholeList).enumerated() {
            guard let list else { continue }
            state.songs[bus] = list.names
            guard bus == 0 else { continue }
            state.singers = list.singers
            if let number = mix.songs.main.namedSong {
                state.namedSong = number
            } else {
                (state.lyrics, state.stems, state.namedSong) = (nil, nil, 0)
            }
        }
        state.wires = server.wires
        return state
    }
}
