@testable import AudioMedia

/// Resamples `frames` by a `FrameConverter` that is fed `block` frames at a time.
func convert(_ frames: [Float], from: Int, to: Int, block: Int) -> [Float] {
    var converter = FrameConverter(inputRate: from, outputRate: to)
    var result: [Float] = []
    func take(_ converter: inout FrameConverter) {
        converter.take(converter.count) { frames, count in
            result += UnsafeBufferPointer(start: frames, count: 2 * count)
        }
    }
    frames.withUnsafeBufferPointer { frames in
        for start in stride(from: 0, to: frames.count / 2, by: block) {
            let count = min(block, frames.count / 2 - start)
            converter.append(frames.baseAddress! + 2 * start, count: count)
            take(&converter)
        }
    }
    converter.drain()
    take(&converter)
    return result
}
