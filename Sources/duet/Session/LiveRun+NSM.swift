import AudioMedia
import Glibc

// What a session brings to a run, and keeps of it.
extension LiveRun {
    /// Takes the client's name from the session, and what it keeps: the levels and connections;
    /// the songs and all else only where no songs were named.
    mutating func enter(_ member: SessionMember?, warnings: inout [String]) throws(DuetError) {
        if let project = member?.project {
            clientID = project.clientName
            do throws(DuetError) {
                member?.saved = try project.read()
            } catch {
                member?.refuseOpen(error, code: .badProject)
                throw error
            }
            if let kept = member?.saved {
                if asksForWhatIsKept {
                    warnings.append(
                        "the session keeps levels, connections and options of its own: those are used"
                    )
                }
                take(kept)
            }
            if songs.joined().contains("-") {
                warnings.append(
                    "a session cannot keep standard input: saved, it has no song in its place")
            }
            try checkTransport()
            try checkTheOnlySong()
        }
        guard songs.joined().isEmpty, member?.project == nil else { return }
        throw DuetError(
            status: .usage, attempt: "there is no song",
            result: warnings.last ?? "none was named, and there is no session to bring one",
            hint: "name a song")
    }

    /// Whether options say what a session keeps.
    private var asksForWhatIsKept: Bool {
        let standard = MixSettings()
        return songs.joined().isEmpty && (time.loop || time.startAt != nil || transport != .none)
            || settings.strips != standard.strips || settings.outputVolume != standard.outputVolume
            || !jack.out.isEmpty || !micPatterns.isEmpty
    }

    private mutating func take(_ kept: SessionState) {
        wires = kept.wires
        guard songs.joined().isEmpty else {
            settings.outputVolume = kept.settings.outputVolume
            settings.strips[0] = kept.settings.strips[0]
            if settings.second.name == kept.settings.second.name {
                settings.strips[1] = kept.settings.strips[1]
            }
            return
        }
        songs = kept.songs
        places = kept.places
        settings = kept.settings
        time.loop = kept.loops
        stays = kept.stays
        transport = kept.transport
        ignoresReplayGain = kept.ignoresReplayGain
    }

    /// What a session keeps of this run as it begins.
    var sessionState: SessionState {
        var state = SessionState()
        state.songs = songs
        state.places = starts
        state.settings = settings
        state.loops = time.loop
        state.stays = stays
        state.transport = transport
        state.ignoresReplayGain = ignoresReplayGain
        return state
    }
}

extension SessionState {
    /// The same for another process in another folder: whole paths, and no standard input.
    var portable: SessionState {
        var state = self
        for (bus, list) in songs.enumerated() {
            let number = places[bus].song.song
            if list.indices.contains(number), list[number] == "-" { state.places[bus] = Place() }
            state.places[bus].song.song =
                list.prefix(number).count { $0 != "-" }
            state.songs[bus] = list.filter { $0 != "-" }.map { song in
                if case .file(let path)? = try? Location(song) {
                    Self.wholePath(path)
                } else {
                    song
                }
            }
        }
        return state
    }

    static func wholePath(_ path: String) -> String {
        guard !path.hasPrefix("/"), let folder = getcwd(nil, 0) else { return path }
        defer { free(folder) }
        return String(cString: folder) + "/" + path
    }
}
