/// The spectrum of both sides. For one thread.
struct StereoSpectrum {
    let left: ChannelSpectrum
    let right: ChannelSpectrum

    /// Zeros.
    init(in memory: BinMemory) {
        left = ChannelSpectrum(in: memory)
        right = ChannelSpectrum(in: memory)
    }

    func clear() {
        left.clear()
        right.clear()
    }
}
