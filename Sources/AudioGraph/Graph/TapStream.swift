/// Makes a stream of another format of the slices that a tap reads. For the reader's thread.
///
/// The stream's frames are numbered at its own rate. Where slices were dropped, what is still in
/// the converter is handed over, and the stream goes on with the number that belongs to the next.
@safe final class TapStream: @unchecked Sendable {
    // Safety: made by the control thread, and then used by the reader's thread alone.
    private let converter: Converter
    private let body: (_ frame: Int, AudioBuffer) -> Void
    /// The graph's frame that continues what was read.
    private var expected: Int?
    private var frame = 0

    /// - Parameter node: the unit's name, for errors.
    init(
        to format: StreamFormat, from sampleRate: Int, node: String,
        _ body: @escaping (_ frame: Int, AudioBuffer) -> Void
    ) throws(GraphError) {
        self.body = body
        let input = StreamFormat(
            sampleRate: sampleRate, channelCount: format.channelCount)
        do throws(ConverterError) {
            converter = try Converter(from: input, to: format, timing: .aligned)
        } catch {
            throw .noConverter(node: node, error)
        }
    }

    /// Takes a slice, of which `frame` is the first.
    func read(_ frame: Int, _ channels: [[Float]]) {
        let (from, to) = (converter.input.sampleRate, converter.output.sampleRate)
        if frame != expected {
            finish()
            // In two parts, so that no product is too large.
            self.frame = frame / from * to + (2 * (frame % from) * to + from) / (2 * from)
        }
        expected = frame + channels[0].count
        give(converter.convert(AudioBuffer(channels, sampleRate: from)))
    }

    /// Hands over what is still in the converter.
    func finish() {
        if expected != nil { give(converter.drain()) }
        expected = nil
    }

    private func give(_ buffer: AudioBuffer) {
        guard buffer.frameCount > 0 else { return }
        body(frame, buffer)
        frame += buffer.frameCount
    }
}
