import SystemSupport
import Testing

@testable import AudioMedia

/// Headers of Ogg Vorbis that ask for stack and memory, on a thread as the program's decoders have.
@Suite struct VorbisHeaderTests {
    /// The smallest Vorbis stream, of silence.
    private struct Stream {
        /// Codebooks in its setup header, and the entries of each, 2 to the power of this.
        var books = 1
        var power = 4
        var dimensions = 1
        /// How many bits more or less than all codewords need each of them has.
        var excess = 0
        var serial: UInt32 = 1
        /// Streams that begin before its setup header has come.
        var others = 0
        /// Whether its setup header is cut over pages, each as small as a page can be.
        var isSpread = false
        /// The flags of the page with its setup header: 2 says that it begins a stream.
        var setupFlags: UInt8 = 0

        var bytes: [UInt8] {
            let setup = setup
            var pages = page([head], flags: 2, number: 0)
            for other in 0..<others {
                pages += page([head], flags: 2, number: 0, serial: UInt32(other + 100))
            }
            if isSpread {
                pages += page([comments], number: 1)
                let parts = stride(from: 0, to: setup.count, by: 255)
                for (index, start) in parts.enumerated() {
                    let part = Array(setup[start...].prefix(255))
                    pages += page([part], flags: index == 0 ? 0 : 1, number: UInt8(2 + index))
                }
                pages += page(
                    sound, flags: 4, granule: 2560, number: UInt8(2 + parts.underestimatedCount))
            } else {
                pages += page([comments, setup], flags: setupFlags, number: 1)
                pages += page(sound, flags: 4, granule: 2560, number: 2)
            }
            OggPages.mend(&pages)
            return pages
        }

        private var head: [UInt8] {
            [1] + "vorbis".utf8 + [0, 0, 0, 0, 2] + [0x44, 0xAC, 0, 0]
                + [UInt8](repeating: 0, count: 12) + [0xB8, 1]
        }
        private var comments: [UInt8] {
            [3] + "vorbis".utf8 + [4, 0, 0, 0] + "duet".utf8 + [0, 0, 0, 0, 1]
        }
        private var sound: [[UInt8]] { [[UInt8]](repeating: [0, 0], count: 40) }

        /// Codebooks with all codewords of one length, then one floor, one residue, a mapping and a mode.
        private var setup: [UInt8] {
            var bits: [UInt8] = []
            func add(_ value: Int, _ count: Int) {
                for bit in 0..<count { bits.append(UInt8(value >> bit & 1)) }
            }
            add(books - 1, 8)
            for _ in 0..<books {
                for (value, count) in [
                    (0x564342, 24), (dimensions, 16), (1 << power, 24), (1, 1),
                    (power - 1 + excess, 5),
                    (1 << power, power + 1), (0, 4),
                ] { add(value, count) }
            }
            for (value, count) in [
                (0, 6), (0, 16), (0, 6), (1, 16), (0, 5), (0, 2), (6, 4), (0, 6), (2, 16), (0, 24),
                (0, 24), (0, 24), (0, 6), (0, 8), (0, 3), (0, 1), (0, 6), (0, 16), (0, 1), (0, 1),
                (0, 2), (0, 8), (0, 8), (0, 8), (0, 6), (0, 1), (0, 16), (0, 16), (0, 8), (1, 1),
            ] { add(value, count) }
            let bytes = stride(from: 0, to: bits.count, by: 8).map { start in
                bits[start...].prefix(8).enumerated().reduce(UInt8(0)) {
                    $0 | $1.element << $1.offset
                }
            }
            return [5] + "vorbis".utf8 + bytes
        }

        private func page(
            _ packets: [[UInt8]], flags: UInt8 = 0, granule: UInt16 = 0, number: UInt8,
            serial: UInt32? = nil
        ) -> [UInt8] {
            // A packet of 255 bytes goes on in the next page.
            let sizes = packets.flatMap { packet in
                packet.count == 255
                    ? [255]
                    : [UInt8](repeating: 255, count: packet.count / 255) + [
                        UInt8(packet.count % 255)
                    ]
            }
            let serial = serial ?? self.serial
            let words = (0..<4).map { UInt8(truncatingIfNeeded: serial >> (8 * $0)) }
            let head = Array("OggS".utf8) + [0, flags, UInt8(granule & 255), UInt8(granule >> 8)]
            let rest = [UInt8](repeating: 0, count: 6) + words + [number, 0, 0, 0, 0, 0, 0, 0]
            return head + rest + [UInt8(sizes.count)] + sizes + packets.joined()
        }
    }

    /// Decodes `bytes` to the end on a thread of the program's kind; returns the frames, and why no more
    /// came.
    private func play(
        _ bytes: [UInt8], isSeekable: Bool
    ) throws -> (frames: Int, length: Int64?, error: DecoderError?) {
        let result = Guarded((frames: 0, length: Int64?.none, error: DecoderError?.none))
        let isOver = try #require(EventFlag())
        let code = DetachedThread.start("decoder", stack: .libraries) {
            var block = [Float](repeating: 0, count: 2 * 4096)
            do throws(DecoderError) {
                let decoder = try VorbisDecoder(BytesReader(bytes, isSeekable: isSeekable))
                result.withLock { $0.length = decoder.length }
                var decoded = Decoded.newFormat
                while decoded != .ended {
                    decoded = try decoder.read(into: &block, capacity: 4096)
                    if case .frames(let count) = decoded {
                        result.withLock { $0.frames += count }
                    }
                }
            } catch {
                result.withLock { $0.error = error }
            }
            isOver.set()
        }
        try #require(code == 0)
        _ = isOver.wait(milliseconds: -1)
        return result.withLock { $0 }
    }

    private let tooLarge = "its header asks for more memory than any song needs"

    /// libvorbis keeps 12 bytes on the stack for each entry of a codebook.
    @Test(arguments: [4, 15], [true, false]) func aLargeCodebookPlays(power: Int, isSeekable: Bool)
        throws
    {
        let (frames, _, error) = try play(Stream(power: power).bytes, isSeekable: isSeekable)
        #expect(error == nil)
        // In its order libvorbisfile also gives what the last page says to cut off.
        #expect(frames == 2560 || !isSeekable && frames > 2560)
    }

    @Test(arguments: [16, 20, 23], [true, false])
    func aLargerOneIsRefused(power: Int, isSeekable: Bool) throws {
        // Spread over pages, the large book is the last.
        for stream in [Stream(power: power), Stream(books: 64, power: power, isSpread: true)] {
            let (_, _, error) = try play(stream.bytes, isSeekable: isSeekable)
            #expect(error == .notSoundFile(reason: tooLarge))
        }
    }

    /// libvorbisfile takes a page of its stream for that, also where it says that it begins another.
    @Test(arguments: [true, false]) func aPageThatLiesIsLookedAt(isSeekable: Bool) throws {
        let stream = Stream(power: 20, setupFlags: 2)
        let (_, _, error) = try play(stream.bytes, isSeekable: isSeekable)
        #expect(error == .notSoundFile(reason: tooLarge))
    }

    /// Also where others begin before its header, and where they stand before it in a chain.
    @Test(arguments: [0, 1, 63], [true, false])
    func itIsFoundAmongOthers(others: Int, isSeekable: Bool) throws {
        let last = Stream(power: 20, serial: 2, others: others).bytes
        let (frames, _, error) = try play(Stream().bytes + last, isSeekable: isSeekable)
        #expect(frames < 5120)
        #expect(error == .library(tooLarge) || error == .notSoundFile(reason: tooLarge))
        #expect(try play(last, isSeekable: isSeekable).error == .notSoundFile(reason: tooLarge))
    }

    /// Codewords that leave sequences of bits over, or begin alike: libvorbis would refuse them at the first
    /// frame, and divide by zero behind a seek.
    @Test(arguments: [1, -1, 5], [true, false])
    func aCodeThatIsNoneIsRefused(excess: Int, isSeekable: Bool) throws {
        let (_, _, error) = try play(Stream(excess: excess).bytes, isSeekable: isSeekable)
        #expect(error == .notSoundFile(reason: "its header is damaged"))
    }

    /// Small books, but many of them, or with many numbers an entry.
    @Test(arguments: [(256, 15, 1), (1, 15, 100), (256, 10, 64)])
    func sumsAreBounded(books: Int, power: Int, dimensions: Int) throws {
        let stream = Stream(books: books, power: power, dimensions: dimensions)
        #expect(try play(stream.bytes, isSeekable: true).error == .notSoundFile(reason: tooLarge))
    }

    /// libvorbisfile goes one call deeper for each link; with too many it is read in its order.
    @Test(arguments: [500, 5000]) func aLongChainPlays(links: Int) throws {
        let bytes = (0..<links).flatMap { Stream(serial: UInt32($0)).bytes }
        let (frames, length, error) = try play(bytes, isSeekable: true)
        #expect(error == nil)
        #expect(frames >= links * 2560)
        #expect(length == (links <= VorbisHeaders.mostLinks ? Int64(links * 2560) : nil))
    }
}
