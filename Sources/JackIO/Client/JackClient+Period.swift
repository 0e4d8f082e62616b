import AudioGraph
import CJack

extension JackClient {
    /// Makes the server's cycles `frames` frames long, for everybody. False: it did not, or not
    /// within 3 s.
    public func setPeriod(_ frames: Int) -> Bool {
        guard isUsable, let frames = jack_nframes_t(exactly: frames) else { return false }
        let isTaken = BoundedCall.answer(milliseconds: 3000) { [handle] in
            unsafe handle.use { unsafe jack_set_buffer_size($0, frames) == 0 }
        }
        // PipeWire answers before it is done.
        return isTaken == true && waitUntil(milliseconds: 1000) { period == Int(frames) }
    }
}
