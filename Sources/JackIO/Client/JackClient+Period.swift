import CJack

extension JackClient {
    /// Makes the server's cycles `frames` frames long, for everybody. False: it did not, or not
    /// within 3 s.
    public func setPeriod(_ frames: Int) -> Bool {
        guard isUsable, let frames = jack_nframes_t(exactly: frames) else { return false }
        let handle = unsafe UInt(bitPattern: client)
        let isTaken = BoundedCall.answer(milliseconds: 3000) {
            guard let client = unsafe OpaquePointer(bitPattern: handle) else { return false }
            return unsafe jack_set_buffer_size(client, frames) == 0
        }
        // PipeWire answers before it is done.
        return isTaken == true && waitUntil(milliseconds: 1000) { period == Int(frames) }
    }
}
