import CMpg123

// Facts that libmpg123 knows of a stream.
extension MP3Decoder {
    /// The stream's format; nil before the first `newFormat`, and maybe between a seek and a frame.
    var format: SongFormat? {
        var info = mpg123_frameinfo2()
        guard sampleRate > 0, unsafe mpg123_info2(handle, &info) == MPG123_OK.rawValue else {
            return nil
        }
        let version =
            switch info.version {
            case Int32(MPG123_1_0.rawValue): "1"
            case Int32(MPG123_2_0.rawValue): "2"
            default: "2.5"
            }
        let rating: SongFormat.Rating =
            switch info.vbr {
            case Int32(MPG123_VBR.rawValue): .variable
            case Int32(MPG123_ABR.rawValue): .average
            default: .constant
            }
        return SongFormat(
            codec: "MPEG \(version) layer " + String(repeating: "I", count: Int(info.layer)),
            sampleRate: Int(info.rate),
            channelCount: info.mode == Int32(MPG123_M_MONO.rawValue) ? 1 : 2,
            bitrate: Int(rating == .average ? info.abr_rate : info.bitrate), rating: rating)
    }

    /// Whether positions count every frame from the beginning: false after an estimated seek.
    var isExact: Bool {
        var value = 0
        return unsafe mpg123_getstate2(handle, Int32(MPG123_ACCURATE.rawValue), &value, nil)
            == MPG123_OK.rawValue && value != 0
    }

    /// The byte and the frame at which reading on towards `frame` would begin, by libmpg123's
    /// index; nil while that is empty.
    func nearestKnown(to frame: Int64) -> (offset: Int64, frame: Int64)? {
        known(packet: frame / framesPerPacket).map { ($0.offset, $0.packet * framesPerPacket) }
    }

    /// The last MPEG frame of libmpg123's index, and where it begins; nil while that is empty.
    var lastKnown: (offset: Int64, packet: Int64)? { known(packet: .max) }

    /// The last MPEG frame of libmpg123's index that is not behind `packet`.
    private func known(packet: Int64) -> (offset: Int64, packet: Int64)? {
        var offsets: UnsafeMutablePointer<off_t>?
        var step: off_t = 0
        var fill = 0
        guard let firstFed, unsafe mpg123_index(handle, &offsets, &step, &fill) == 0, fill > 0,
            let offsets = unsafe offsets
        else { return nil }
        let entry = min(Int(packet) / max(1, step), fill - 1)
        return (unsafe Int64(offsets[entry]) + firstFed, Int64(entry * step))
    }
}
