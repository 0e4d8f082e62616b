/// The spectrum of one channel. For one thread.
struct ChannelSpectrum {
    let real: BinRow
    let imaginary: BinRow

    /// Zeros.
    init(in memory: BinMemory) {
        real = memory.row()
        imaginary = memory.row()
    }

    func clear() {
        real.clear()
        imaginary.clear()
    }
}
