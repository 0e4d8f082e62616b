import AudioGraph

// What a song is, by its first bytes, and the decoder that it gets.
extension SongReader {
    /// The longest bytes that tell what a song is, of most kinds.
    private static let longestMark = 16

    /// Finds out by its first bytes what it is: a playlist, or a song, for which this is nil.
    func lookAtHead() throws(SongError) -> Opening? {
        if let failure, keptBytes == 0 { throw failure }
        if stream.isFolder, case .file(let path) = location {
            return .playlist(try Playlist(folder: path))
        }
        let head = stream.head(SoundKind.headSize)
        guard stream.response != nil, head.count >= Playlist.headSize || hasAllBytes else {
            return .pending
        }
        if ZipArchive.begins(head[...]) { return try openArchive() ?? .pending }
        if Playlist.isCut(head[...]) {
            if let failure { throw failure }
            guard hasAllBytes else { return .pending }
        }
        if let format = Playlist.format(
            of: location, response: stream.response, head: head.prefix(Playlist.longestHead))
        {
            guard hasAllBytes || keptBytes >= Playlist.maximumSize else { return .pending }
            if let failure { throw failure }
            stream.stop()
            return .playlist(
                try Playlist(
                    bytes: stream.head(Playlist.maximumSize), format: format, base: location,
                    address: stream.response?.address))
        }
        if SoundKind.isCut(head[...]), head.count < SoundKind.headSize {
            if let failure { throw failure }
            guard hasAllBytes else { return .pending }
        }
        var kind = SoundKind(head: head[...], contentType: stream.response?.contentType)
        if kind == .mpeg, station == nil {
            let end = FrontTags.end(stream.look)
            guard end == 0 || hasCome(behind: end) else { return .pending }
            if end > 0, let behind = kindBehindTags(end) {
                (kind, front) = (behind, FrontTags(end: end, stream.look))
            }
        }
        kindIsKnown = true
        try open(kind)
        return nil
    }

    /// Whether the bytes behind tags that end at `end` tell what the song is, or never will: then it is
    /// left to libmpg123.
    private func hasCome(behind end: Int64) -> Bool {
        if stream.isFile || hasAllBytes || failure != nil || end > Playlist.maximumSize {
            return true
        }
        let behind = stream.look(at: end, count: SoundKind.headSize)
        guard behind.count >= Self.longestMark else { return false }
        return !SoundKind.isCut(behind[...]) || behind.count == SoundKind.headSize
    }

    /// What the bytes from `end` on are; nil: MPEG audio, or no certain sign of anything.
    private func kindBehindTags(_ end: Int64) -> SoundKind? {
        let kind = SoundKind(head: stream.look(at: end, count: SoundKind.headSize)[...])
        return kind == .mpeg ? nil : kind
    }

    /// Takes the song of an archive in place of the archive. One with several songs is a list of them.
    private func openArchive() throws(SongError) -> Opening? {
        guard case .file(let path) = location, stream.isSeekable else {
            throw cannotPlay(.archive(.notAFile))
        }
        // An archive in another is no song.
        guard !isUnpacked else { throw cannotPlay(.archive(.withoutSong)) }
        let reader = try FileReader(path)
        let archive: ZipArchive
        do throws(ArchiveFault) { archive = try ZipArchive(reader) } catch {
            throw cannotPlay(.archive(error))
        }
        let songs = archive.songs
        guard songs.count < 2 else {
            stream.stop()
            return .playlist(
                Playlist(songs: songs.map { FileName(bytes: $0.sound.name) }, in: path))
        }
        try openArchive(path)
        return nil
    }

    /// Opens the decoder for what the first bytes are, and refuses what nothing here plays. What they do
    /// not tell is left to libmpg123, which looks for MPEG audio behind them.
    func open(_ kind: SoundKind?) throws(SongError) {
        switch kind {
        case .mpeg, nil: break
        case .other(let name):
            // Its table may be at its end.
            if kind == .m4a, !stream.isSeekable, !stream.keepsAll, station == nil {
                return try spool(.m4a, name)
            }
            try openHelper(for: name)
        case .soundFile(let name):
            let head =
                front.map { stream.look(at: $0.end, count: SoundKind.headSize) }
                ?? stream.head(SoundKind.headSize)
            let codec = SoundCodec(head: head[...])
            if case .other(let name) = codec { return try openHelper(for: name) }
            // What can be is rather read in its order.
            let reader = try makeReader(readsOn: !codec.isReadInOrder)
            if !codec.isReadInOrder, !reader.keepsAll {
                // libsndfile wants to know where the file ends.
                guard station == nil else { return try openHelper(for: name) }
                return try spool(.soundFile(name), name)
            }
            do throws(DecoderError) {
                try setOther(reader) { (reader) throws(DecoderError) in
                    try codec.decoder(reader)
                }
            } catch {
                input = nil
                switch error {
                case .holdsMPEG: front = nil
                case .rateOutOfRange, .unknownLayout: throw translate(error)
                case .input(let error): throw failure ?? error
                // FFmpeg reads more codecs in these files.
                case .notSoundFile where codec == .soundFile && HelperProgram.find() != nil:
                    try openHelper(for: name)
                default: throw cannotPlay(.unreadable(format: name, reason: error.text))
                }
            }
        }
    }

    /// Opens it when all bytes have come; throws where they are too many.
    private func spool(_ kind: SoundKind, _ name: String) throws(SongError) {
        guard stream.size == nil, stream.kept.lowerBound == 0 else {
            throw cannotPlay(.tooLongToKeep(format: name, location.origin))
        }
        spooledKind = kind
    }

    /// Leaves it to the program that decodes what FFmpeg reads.
    private func openHelper(for name: String) throws(SongError) {
        guard let program = HelperProgram.find() else {
            throw cannotPlay(
                .helperMissing(format: name, libavformat: HelperProgram.libraryVersion))
        }
        let reader = try makeReader(readsOn: true)
        do throws(DecoderError) {
            try setOther(reader) { [began, helperStream] (reader) throws(DecoderError) in
                try HelperDecoder(
                    reader, program: program, stream: helperStream, began: began)
            }
        } catch {
            throw translate(error)
        }
        helperFormat = name
    }

    private func setOther(
        _ reader: any ByteReader,
        _ make: @escaping (any ByteReader) throws(DecoderError) -> any Decoder
    ) throws(DecoderError) {
        other = try make(front.map { OffsetReader(reader, from: $0.end) } ?? reader)
        makeOther = make
        if input == nil { stream.discard() }
    }

    /// A reader of its bytes from the first on. A file is opened anew: its decoder reads it by itself.
    private func makeReader(readsOn: Bool) throws(SongError) -> any ByteReader {
        if case .file(let path) = location, stream.isSeekable, stream.file != nil, !isUnpacked {
            return try FileReader(path)
        }
        let reader = StreamReader(
            stream, name: location.description, waiting: waiting, readsOn: readsOn)
        input = reader
        return reader
    }

    /// The error for bytes in which there is no MPEG audio: names what they are, where that shows.
    var noMPEG: SongError {
        if stream.kept.upperBound == 0 { return failure ?? empty }
        return unknown
    }

    var unknown: SongError {
        cannotPlay(isPicture ? .picture : .unknownFormat(location.origin))
    }

    /// Whether it is called as the picture of a karaoke song is.
    private var isPicture: Bool {
        switch location {
        case .file(let path): path.ends(in: ".cdg")
        case .remote(let address, _):
            address.prefix { $0 != "?" && $0 != "#" }.lowercased().hasSuffix(".cdg")
        case .standardInput: false
        }
    }

    var empty: SongError {
        .cannotOpen(song: location.description, .empty(location.origin))
    }

    func cannotPlay(_ fault: SongFault) -> SongError {
        .cannotPlay(song: location.description, fault)
    }
}
