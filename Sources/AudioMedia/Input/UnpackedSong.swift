import Glibc

extension ZipArchive {
    /// What a song may have at most when it is unpacked: an MP3 of 320 kbit/s for 1 h 50 min.
    static let mostSongBytes = 256 << 20

    /// Unpacks the song of the archive into a file without a name, in the folder for such files
    /// (`TMPDIR`, else `/tmp`): memory is not taken, and nothing stays behind, however the program ends.
    ///
    /// - Returns: its descriptor, which the caller closes.
    func unpackSong() throws(ArchiveFault) -> Int32 {
        guard let song else { throw .withoutSong }
        let folder = unsafe getenv("TMPDIR").map { unsafe FileName(cString: $0) } ?? "/tmp"
        let path = (folder + "/duet-\(UInt64.random(in: .min ... .max))").cString
        let descriptor = unsafe open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw .noRoom(code: errno) }
        unsafe unlink(path)
        do throws(ArchiveFault) {
            unsafe try unpack(song.sound, atMost: Self.mostSongBytes) {
                (part) throws(ArchiveFault) in
                unsafe try Self.write(part, to: descriptor)
            }
        } catch {
            close(descriptor)
            throw error
        }
        return descriptor
    }

    private static func write(
        _ bytes: UnsafeRawBufferPointer, to descriptor: Int32
    ) throws(ArchiveFault) {
        var done = 0
        while done < bytes.count {
            let rest = unsafe UnsafeRawBufferPointer(rebasing: bytes[done...])
            let count = unsafe Glibc.write(descriptor, rest.baseAddress, rest.count)
            if count > 0 {
                done += count
            } else if errno != EINTR {
                throw .noRoom(code: errno)
            }
        }
    }
}
