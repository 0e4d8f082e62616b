import CJack

extension JackClient {
    /// Says that all is ready for cycles of `frames` frames, which the event `period` told of: they
    /// may begin. After 50 ms they do anyway.
    public func take(period frames: Int) {
        guard isUsable else { return }
        unsafe context.pointee.signals.periodTaken.store(
            UInt32(clamping: frames), ordering: .releasing)
    }

    /// Makes the server's cycles `frames` frames long, for everybody. False: it did not, or not
    /// within 3 s.
    public func setPeriod(_ frames: Int) -> Bool {
        guard isUsable, let frames = jack_nframes_t(exactly: frames) else { return false }
        let isTaken = unsafe handle.ask(milliseconds: 3000) { client in
            unsafe jack_set_buffer_size(client, frames) == 0
        }
        // PipeWire answers before it is done.
        return isTaken == true && waitUntil(milliseconds: 1000) { period == Int(frames) }
    }
}
