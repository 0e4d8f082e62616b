import CKissfft
import Glibc

/// The Fourier transform of real samples, and its inverse, by kissfft. For one thread.
@safe final class RealTransform {
    private let forward: kiss_fftr_cfg
    private let backward: kiss_fftr_cfg
    /// From 0 Hz to half the rate.
    private let spectrum: UnsafeMutablePointer<kiss_fft_cpx>
    private let size: Int

    /// For `size` samples at once: even, more than 0.
    init(size: Int) {
        precondition(size > 0 && size.isMultiple(of: 2), "a transform of \(size) samples")
        self.size = size
        // kiss_fftr.h: with neither memory nor a length it allocates its own.
        guard let forward = unsafe kiss_fftr_alloc(Int32(size), 0, nil, nil),
            let backward = unsafe kiss_fftr_alloc(Int32(size), 1, nil, nil)
        else { fatalError("no memory for a transform of \(size) samples") }
        unsafe (self.forward, self.backward) = (forward, backward)
        unsafe spectrum = .allocate(capacity: size / 2 + 1)
        unsafe spectrum.initialize(repeating: kiss_fft_cpx(), count: size / 2 + 1)
    }

    deinit {
        unsafe free(UnsafeMutableRawPointer(forward))
        unsafe free(UnsafeMutableRawPointer(backward))
        unsafe spectrum.deallocate()
    }

    /// Writes the spectrum of `input`, `size` samples: bins 0…size/2, the sum of the samples times
    /// exp(−2πi·bin·n/size).
    func transform(_ input: [Float], to output: ChannelSpectrum) {
        precondition(input.count == size)
        unsafe input.withUnsafeBufferPointer { input in
            guard let first = input.baseAddress else { return }
            unsafe kiss_fftr(forward, first, spectrum)
        }
        for bin in 0...size / 2 {
            output.real[bin] = unsafe spectrum[bin].r
            output.imaginary[bin] = unsafe spectrum[bin].i
        }
    }

    /// Writes the samples of a spectrum to `output`, `size` of them: the inverse of `transform`, times
    /// `size`.
    func invert(_ input: ChannelSpectrum, to output: inout [Float]) {
        precondition(output.count == size)
        for bin in 0...size / 2 {
            unsafe spectrum[bin] = kiss_fft_cpx(r: input.real[bin], i: input.imaginary[bin])
        }
        unsafe output.withUnsafeMutableBufferPointer { output in
            guard let first = output.baseAddress else { return }
            unsafe kiss_fftri(backward, spectrum, first)
        }
    }
}

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
