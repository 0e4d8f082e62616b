/// A frame of an ID3v2 tag: what its header says, and how its body is read.
struct ID3Frame {
    /// What a frame holds that counts.
    private enum Content {
        case title, artist, album, lyrics, synchronised, named, volume, witness
    }

    private let content: Content?
    private let version: UInt8
    private let flags: UInt8
    /// The length of the body by seven bits of each byte, as version 2.4 wants, and by eight. Other
    /// versions have only the second.
    let safe, plain: Int

    /// The size of a frame's header in bytes.
    static func headerSize(_ version: UInt8) -> Int { version == 2 ? 6 : 10 }

    /// Reads a frame's header; nil where it is none.
    init?(_ header: [UInt8], version: UInt8) {
        let nameSize = version == 2 ? 3 : 4
        // iTunes has written names of version 2.2 into 2.3, with a zero or a space behind.
        let letters = header.prefix(nameSize).prefix { $0 != 0 && $0 != 0x20 }
        let isName = letters.allSatisfy {
            (0x41...0x5A).contains($0) || (0x30...0x39).contains($0)
        }
        guard isName, letters.count >= 3 else { return nil }
        self.version = version
        let size = header[nameSize..<(2 * nameSize)]
        plain = Self.number(size, bits: 8)
        let isSafe = version == 4 && size.allSatisfy { $0 < 0x80 }
        safe = isSafe ? Self.number(size, bits: 7) : plain
        flags = version == 2 ? 0 : header[9]
        switch String(decoding: letters, as: UTF8.self) {
        case "TIT2", "TT2": content = .title
        case "TPE1", "TP1": content = .artist
        case "TALB", "TAL": content = .album
        case "USLT", "ULT": content = .lyrics
        case "SYLT", "SLT": content = .synchronised
        case "TXXX", "TXX": content = .named
        case "RVA2": content = .volume
        case let name: content = name.hasPrefix("T") ? .witness : nil
        }
    }

    /// How many bytes of the body count where `fields` are known; 0: it is passed over.
    func room(in fields: TagFields) -> Int {
        switch content {
        case .title: fields.title == nil ? TagFields.longestLine : 0
        case .artist: fields.artist == nil ? TagFields.longestLine : 0
        case .album: fields.albumTitle == nil ? TagFields.longestLine : 0
        case .lyrics: fields.wantsLyrics ? TagFields.longestLyrics : 0
        case .synchronised: fields.synchronised == nil ? TagFields.longestLyrics : 0
        // Its name comes with it: it may be lyrics.
        case .named: TagFields.longestLyrics
        case .volume: fields.volumeGain == nil ? TagFields.longestLine : 0
        case .witness: fields.wantsWitnesses ? TagFields.longestLine : 0
        case nil: 0
        }
    }

    /// Reads the body, whole or cut off, into `fields`.
    ///
    /// - Parameter isUnsynchronised: whether the tag says that all frames are.
    func read(_ body: ArraySlice<UInt8>, isUnsynchronised: Bool, into fields: inout TagFields) {
        guard !body.isEmpty, let body = plainBody(body, isUnsynchronised: isUnsynchronised)
        else { return }
        switch content {
        case .title: text(body).map { fields.set(title: $0) }
        case .artist: text(body).map { fields.set(artist: $0) }
        case .album: text(body).map { fields.set(albumTitle: $0) }
        case .witness: text(body).map { fields.add(witness: $0) }
        case .lyrics:
            // Encoding, language, what it is called.
            guard var reader = ID3Text(encoding: body.first, rest: body.dropFirst(4)),
                reader.next() != nil
            else { return }
            fields.set(lyrics: reader.last())
        case .synchronised: fields.synchronised = SynchronisedText(body)
        case .named:
            guard var reader = ID3Text(encoding: body.first, rest: body.dropFirst()),
                let name = reader.next(), let key = TagText.decode([name]).first
            else { return }
            fields.take(key, reader.last())
        case .volume: fields.volumeGain = Self.volume(body)
        case nil: break
        }
    }

    /// The body without what its flags announce; nil where it is compressed or encrypted (id3v2.3.0
    /// 3.3.1, id3v2.4.0-structure 4.1.2).
    private func plainBody(
        _ body: ArraySlice<UInt8>, isUnsynchronised: Bool
    ) -> ArraySlice<UInt8>? {
        if version < 4 {
            guard flags & 0xC0 == 0 else { return nil }
            return body.dropFirst(flags & 0x20 != 0 ? 1 : 0)
        }
        guard flags & 0x0C == 0 else { return nil }
        let added = (flags & 0x40 != 0 ? 1 : 0) + (flags & 0x01 != 0 ? 4 : 0)
        let rest = body.dropFirst(added)
        guard flags & 0x02 != 0 || isUnsynchronised else { return rest }
        var isBehindFF = false
        return Self.synchronised(rest, &isBehindFF)[...]
    }

    /// Takes out the zeros that were put behind 0xFF (id3v2.3.0 5).
    ///
    /// - Parameter isBehindFF: whether the byte before is 0xFF; set for what follows.
    static func synchronised(_ bytes: ArraySlice<UInt8>, _ isBehindFF: inout Bool) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count)
        for byte in bytes {
            if byte != 0 || !isBehindFF { result.append(byte) }
            isBehindFF = byte == 0xFF
        }
        return result
    }

    /// A number of four bytes or fewer, the highest first, of `bits` bits each.
    static func number(_ bytes: ArraySlice<UInt8>, bits: Int) -> Int {
        bytes.reduce(0) { $0 << bits | Int($1) & (1 << bits - 1) }
    }

    /// A text frame: of several texts the first.
    private func text(_ body: ArraySlice<UInt8>) -> TagText? {
        guard var reader = ID3Text(encoding: body.first, rest: body.dropFirst()) else { return nil }
        return reader.last()
    }

    /// The gain of the master volume for a track (id3v2.4.0-frames 4.11), in dB.
    private static func volume(_ body: ArraySlice<UInt8>) -> Double? {
        guard let end = body.firstIndex(of: 0) else { return nil }
        let name = String(decoding: body[..<end], as: UTF8.self).lowercased()
        guard !["album", "audiophile", "user"].contains(name) else { return nil }
        var rest = body[(end + 1)...]
        // Of each channel its type, the gain in 512ths of a dB, and a peak of so many bits.
        while rest.count >= 4 {
            let channel = Array(rest.prefix(4))
            if channel[0] == 1 {
                return Double(Int16(bitPattern: UInt16(channel[1]) << 8 | UInt16(channel[2]))) / 512
            }
            rest = rest.dropFirst(4 + (Int(channel[3]) + 7) / 8)
        }
        return nil
    }
}
