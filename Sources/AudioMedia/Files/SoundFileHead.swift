/// What the head of a sound file says, as libsndfile reads it.
package struct SoundFileHead: Sendable, Equatable {
    /// Frames a second, in Hz.
    package let sampleRate: Int
    package let channelCount: Int
    package let frameCount: Int64

    /// Why a file is no sound file, for people.
    package struct Unreadable: Error, Equatable {
        package let reason: String
    }

    /// Opens a regular file and closes it again. Blocks for as long as the disk takes.
    package init(of path: FileName) throws(Unreadable) {
        do throws(DecoderError) {
            self = try SoundFileDecoder(path: path).head
        } catch {
            throw Unreadable(reason: error.text)
        }
    }

    init(sampleRate: Int, channelCount: Int, frameCount: Int64) {
        self.sampleRate = sampleRate
        self.channelCount = channelCount
        self.frameCount = frameCount
    }
}
