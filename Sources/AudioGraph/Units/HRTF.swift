#if Spatial
import CMysofa
import Glibc
import SystemSupport

/// How sound from every direction reaches both ears, as a SOFA file (AES69) has measured it: head-
/// related transfer functions, read by libmysofa.
///
/// For several threads: all panners of one file share what was read.
@safe final class HRTF: @unchecked Sendable {
    // Safety: who uses what.
    //   easy.fir     whoever holds `interpolation`
    //   the rest     written by `init` and `deinit` alone; libmysofa's searches in it only read

    /// The longest filter, in seconds: what a file has beyond that is a room.
    private static let longest = 0.012
    /// The largest file that is read, in bytes.
    private static let largestFile = 1 << 26
    /// How far below its largest sample a response begins: −40 dB.
    private static let onset: Float = 0.01

    private var easy: MYSOFA_EASY
    /// Held while libmysofa interpolates, which it does in `easy.fir`.
    private let interpolation = Guarded(())
    private let sampleRate: Double
    /// Frames before the first response of all directions begins, which are left out.
    let cut: Int
    /// Taps of a filter, a multiple of 8.
    let length: Int
    /// Scales so that from no direction a sound is louder in any ear than it is by itself.
    private let scale: Double
    /// When a source in front is heard, in frames: its largest sample.
    private(set) var latency = 0

    /// The most taps of a filter at `sampleRate` Hz, a multiple of 8.
    static func capacity(sampleRate: Int) -> Int {
        (Int((longest * Double(sampleRate)).rounded(.up)) + 7) / 8 * 8
    }

    /// Reads the file at `path`, for `sampleRate` Hz; takes about half a second.
    ///
    /// Throws `unreadable`, `tooLarge`, `refused` or `odd`.
    init(path: String, sampleRate: Int) throws(HRTFError) {
        let hrtf = try unsafe Self.load(path, sampleRate: sampleRate)
        unsafe easy = MYSOFA_EASY(hrtf: hrtf, lookup: nil, neighborhood: nil, fir: nil)
        self.sampleRate = Double(sampleRate)
        let facts = unsafe Self.measure(hrtf.pointee, sampleRate: sampleRate)
        cut = facts.cut
        let taps = min(facts.length - facts.cut, Self.capacity(sampleRate: sampleRate))
        length = (taps + 7) / 8 * 8
        scale = facts.energy > 0 ? 1 / facts.energy.squareRoot() : 0
        unsafe easy.lookup = mysofa_lookup_init(hrtf)
        if let lookup = unsafe easy.lookup {
            // libmysofa's own steps, but never more than 256 from the nearest radius to the farthest.
            let range = unsafe lookup.pointee.radius_max - lookup.pointee.radius_min
            unsafe easy.neighborhood = mysofa_neighborhood_init_withstepdefine(
                hrtf, lookup, MYSOFA_DEFAULT_NEIGH_STEP_ANGLE,
                max(MYSOFA_DEFAULT_NEIGH_STEP_RADIUS, range / 256))
        }
        unsafe easy.fir = .allocate(capacity: Int(hrtf.pointee.N) * 2)
        let hasAll = unsafe easy.lookup != nil && easy.neighborhood != nil
        guard hasAll, facts.energy.isFinite, facts.energy > 0, facts.cut < facts.length else {
            throw .odd(path: path, reason: "its responses are silent or not numbers")
        }
        latency = peakInFront()
    }

    deinit {
        unsafe easy.fir?.deallocate()
        if let neighborhood = unsafe easy.neighborhood {
            unsafe mysofa_neighborhood_free(neighborhood)
        }
        if let lookup = unsafe easy.lookup { unsafe mysofa_lookup_free(lookup) }
        unsafe mysofa_free(easy.hrtf)
    }

    // MARK: Reading

    /// The file's measurements at `sampleRate`, once its numbers were found to be in bounds.
    private static func load(
        _ path: String, sampleRate: Int
    ) throws(HRTFError) -> UnsafeMutablePointer<MYSOFA_HRTF> {
        var facts = stat()
        guard unsafe stat(path, &facts) == 0 else { throw .unreadable(path: path, code: errno) }
        guard facts.st_mode & S_IFMT == S_IFREG else {
            throw .odd(path: path, reason: "not a file")
        }
        guard facts.st_size <= largestFile else {
            throw .tooLarge(path: path, bytes: Int(facts.st_size))
        }
        var code: Int32 = 0
        guard let hrtf = unsafe mysofa_load(path, &code) else {
            throw .refused(path: path, code: code)
        }
        var reason = unsafe oddity(of: hrtf.pointee, sampleRate: sampleRate)
        if reason == nil { code = unsafe mysofa_check(hrtf) }
        if reason == nil, code == Int32(MYSOFA_OK) {
            unsafe mysofa_tocartesian(hrtf)
            let positions = unsafe UnsafeBufferPointer(
                start: hrtf.pointee.SourcePosition.values,
                count: Int(hrtf.pointee.SourcePosition.elements))
            reason = unsafe oddity(ofPositions: positions)
        }
        if let reason {
            unsafe mysofa_free(hrtf)
            throw .odd(path: path, reason: reason)
        }
        if code == Int32(MYSOFA_OK) { code = unsafe mysofa_resample(hrtf, Float(sampleRate)) }
        guard code == Int32(MYSOFA_OK) else {
            unsafe mysofa_free(hrtf)
            throw .refused(path: path, code: code)
        }
        return unsafe hrtf
    }

    /// The first and the last frame of all responses, and the energy of the largest.
    private static func measure(
        _ hrtf: MYSOFA_HRTF, sampleRate: Int
    ) -> (cut: Int, length: Int, energy: Double) {
        let samples = unsafe Int(hrtf.N)
        let count = unsafe Int(hrtf.M) * 2
        var (cut, most, energy) = (Int.max, 0, 0.0)
        for number in 0..<count {
            // One delay for each ear, or one for each response.
            let place = unsafe hrtf.DataDelay.elements == 2 ? number % 2 : number
            let delay = unsafe hrtf.DataDelay.values[place]
            let shift = frames(delay, sampleRate: Double(sampleRate))
            let response = unsafe UnsafeBufferPointer(
                start: hrtf.DataIR.values + number * samples, count: samples)
            var (peak, sum): (Float, Double) = (0, 0)
            for i in 0..<samples {
                peak = max(peak, abs(unsafe response[i]))
                sum += Double(unsafe response[i]) * Double(unsafe response[i])
            }
            let first = unsafe response.firstIndex { abs($0) > onset * peak } ?? samples
            cut = min(cut, first + shift)
            most = max(most, samples + shift)
            energy = sum.isFinite ? max(energy, sum) : .infinity
        }
        return (cut, most, energy)
    }

    /// A delay of the file, in seconds, as frames, 0…4 ms.
    private static func frames(_ seconds: Float, sampleRate: Double) -> Int {
        guard seconds.isFinite else { return 0 }
        return Int((Double(min(max(seconds, 0), 0.004)) * sampleRate).rounded())
    }

    // MARK: Filters

    /// The taps of a source in a direction, for the left and the right ear, the first tap last;
    /// each `length` numbers.
    ///
    /// - Parameters:
    ///   - azimuth: degrees, positive to the right.
    ///   - elevation: degrees, positive upwards.
    ///   - distance: metres; a file that was measured at several distances has other filters there.
    func taps(
        azimuth: Double, elevation: Double, distance: Double
    ) -> (left: [Float], right: [Float]) {
        let (turn, height) = (azimuth * .pi / 180, elevation * .pi / 180)
        // AES69: x to the front, y to the left, z upwards.
        var place = [
            Float(distance * cos(height) * cos(turn)), Float(-distance * cos(height) * sin(turn)),
            Float(distance * sin(height)),
        ]
        var delays: [Float] = [0, 0]
        let nearest = unsafe mysofa_lookup(easy.lookup, &place)
        guard nearest >= 0,
            let neighbours = unsafe mysofa_neighborhood(easy.neighborhood, nearest)
        else { return ([], []) }
        return interpolation.withLock { _ in
            guard
                let responses = unsafe mysofa_interpolate(
                    easy.hrtf, &place, nearest, neighbours, easy.fir, &delays)
            else { return ([], []) }
            let samples = unsafe Int(easy.hrtf.pointee.N)
            func taps(ear: Int) -> [Float] {
                let shift = Self.frames(delays[ear], sampleRate: sampleRate) - cut
                return (0..<length).map { tap in
                    // The first tap is the last number.
                    let place = length - 1 - tap - shift
                    guard (0..<samples).contains(place) else { return 0 }
                    return Float(Double(unsafe responses[ear * samples + place]) * scale)
                }
            }
            return (taps(ear: 0), taps(ear: 1))
        }
    }

    private func peakInFront() -> Int {
        let left = taps(azimuth: 0, elevation: 0, distance: 1).left
        let peak = left.indices.max { abs(left[$0]) < abs(left[$1]) } ?? 0
        return max(0, length - 1 - peak)
    }
}

/// What is asked of the numbers of a SOFA file before libmysofa computes with them.
extension HRTF {
    /// The most directions of a file.
    private static let mostResponses = 20_000
    /// The most samples of all responses, in the file and at the graph's rate: libmysofa counts them
    /// with 32 bits, and as bytes.
    private static let mostSamples = 1 << 26
    /// The longest measured response that is read, in samples.
    private static let longestResponse = 1 << 15
    /// How far away the positions of a file may be, in metres: libmysofa looks for neighbours in steps
    /// of a centimetre, and never comes to the end of a million metres.
    private static let radii: ClosedRange<Double> = 0.05...20
    /// How many steps it may be from libmysofa's first position to any other. libmysofa calls itself
    /// in each, with some 90 bytes of the caller's stack; 11,000 directions in rings need 200.
    private static let mostSteps = 2000

    /// What is odd about measurements that were read; nil: nothing.
    static func oddity(of hrtf: MYSOFA_HRTF, sampleRate: Int) -> String? {
        let (responses, receivers) = unsafe (Int(hrtf.M), Int(hrtf.R))
        let samples = unsafe Int(hrtf.N)
        guard receivers == 2, (1...mostResponses).contains(responses),
            (1...longestResponse).contains(samples)
        else { return "it has \(responses) responses of \(samples) samples for \(receivers) ears" }
        let all = responses * receivers * samples
        guard unsafe Int(hrtf.DataIR.elements) == all, all <= mostSamples,
            unsafe Int(hrtf.SourcePosition.elements) == 3 * responses
        else { return "its responses are not as many as it says" }
        guard unsafe hrtf.DataSamplingRate.elements == 1,
            unsafe (8000...768_000).contains(hrtf.DataSamplingRate.values[0])
        else { return "its sample rate is none" }
        let factor = unsafe Double(sampleRate) / Double(hrtf.DataSamplingRate.values[0])
        // libmysofa rounds the samples of a response up.
        guard Double(responses * receivers) * (Double(samples) * factor + 1) <= Double(mostSamples)
        else { return "its responses are too long at \(sampleRate) Hz" }
        let delays = unsafe Int(hrtf.DataDelay.elements)
        guard delays == receivers || delays == responses * receivers else {
            return "its delays are not as many as its responses"
        }
        return nil
    }

    /// What is odd about positions, x, y and z of each after the other; nil: nothing.
    static func oddity(ofPositions positions: UnsafeBufferPointer<Float>) -> String? {
        let places = stride(from: 0, to: positions.count - 2, by: 3).map { i in
            unsafe SIMD3(positions[i], positions[i + 1], positions[i + 2])
        }
        for place in places {
            let wide = SIMD3<Double>(place)
            let radius = (wide * wide).sum().squareRoot()
            guard radii.contains(radius) else {
                return "a position is \(radius) m away, not \(radii.lowerBound)…"
                    + "\(radii.upperBound) m"
            }
        }
        return isDeep(places) ? "its positions lie in too long a row" : nil
    }

    /// Whether libmysofa's tree of these positions has more than `mostSteps` levels: each goes to the
    /// left of another if its x, y or z, by turns, is smaller.
    private static func isDeep(_ places: [SIMD3<Float>]) -> Bool {
        // The children of each place; 0: none, for the first is nobody's child.
        var children = [SIMD2<Int>](repeating: .zero, count: places.count)
        for (number, place) in places.enumerated().dropFirst() {
            var (parent, level) = (0, 0)
            while true {
                let side = place[level % 3] < places[parent][level % 3] ? 0 : 1
                level += 1
                if level > mostSteps { return true }
                if children[parent][side] == 0 {
                    children[parent][side] = number
                    break
                }
                parent = children[parent][side]
            }
        }
        return false
    }
}

/// Keeps the file that was read last: reading one takes half a second, and a graph that is made
/// anew, or a panner beside another, asks for the same. For any thread.
enum HRTFMemory {
    /// A file as it was when it was read, and the rate that it was read for.
    private struct File: Equatable {
        let path: String
        let sampleRate: Int
        let device: UInt
        let number: UInt
        let size: Int
        let seconds: Int
        let nanoseconds: Int

        /// Nil where there is none.
        init?(_ path: String, _ sampleRate: Int) {
            var facts = stat()
            guard unsafe stat(path, &facts) == 0 else { return nil }
            self.path = path
            self.sampleRate = sampleRate
            device = facts.st_dev
            number = facts.st_ino
            size = facts.st_size
            seconds = facts.st_mtim.tv_sec
            nanoseconds = facts.st_mtim.tv_nsec
        }
    }

    private static let newest = Guarded<(file: File, hrtf: HRTF)?>(nil)

    /// The file at `path`, for `sampleRate` Hz; read where it is not the one that was read last. Waits
    /// while another thread reads a file.
    ///
    /// Throws as `HRTF`.
    static func read(_ path: String, sampleRate: Int) throws(HRTFError) -> HRTF {
        let file = File(path, sampleRate)
        // Under the lock: the panners of a graph ask at the same moment, and one of them is to read.
        return try newest.withLock { kept throws(HRTFError) in
            if let kept, kept.file == file { return kept.hrtf }
            let hrtf = try HRTF(path: path, sampleRate: sampleRate)
            if let file { kept = (file, hrtf) }
            return hrtf
        }
    }
}

/// Why the way from each direction to the ears is not known; sound is panned by level alone.
public enum HRTFError: Error, Hashable, CustomStringConvertible {
    /// The file is not there, or cannot be read. An errno.
    case unreadable(path: String, code: Int32)
    /// The file is too large to be one of measured directions, in bytes.
    case tooLarge(path: String, bytes: Int)
    /// libmysofa does not take the file; its code, as `mysofa.h` names them.
    case refused(path: String, code: Int32)
    /// The file's numbers are beyond what measured directions can have.
    case odd(path: String, reason: String)
    /// The system had no thread left to read the file.
    case noThread(path: String)

    public var description: String {
        switch self {
        case .unreadable(let path, let code):
            "cannot read \(path): \(errorText(code)): install libmysofa's data (the package "
                + "libmysofa1)"
        case .tooLarge(let path, let bytes): "\(path) is too large for a SOFA file: \(bytes) bytes"
        case .refused(let path, let code): "libmysofa cannot use \(path): error \(code)"
        case .odd(let path, let reason): "cannot use \(path): \(reason)"
        case .noThread(let path): "no thread is left to read \(path): end other programs"
        }
    }
}

/// What both ears hear of one source: the sums of products of its last samples with two filters.
///
/// - Parameters:
///   - samples: `count` samples, the newest last.
///   - left: `count` taps, the one for the newest sample last; so for `right`.
///   - count: a multiple of 8.
/// - Returns: the left and the right ear's sample. They depend on these numbers alone, however the
///   sound is split into slices.
@inline(__always) @_noLocks func earPair(
    _ samples: UnsafePointer<Float>, left: UnsafePointer<Float>, right: UnsafePointer<Float>,
    count: Int
) -> SIMD2<Float> {
    let source = unsafe UnsafeRawPointer(samples)
    let (leftTaps, rightTaps) = unsafe (UnsafeRawPointer(left), UnsafeRawPointer(right))
    var leftSum = SIMD8<Float>(repeating: 0)
    var rightSum = SIMD8<Float>(repeating: 0)
    var place = 0
    while place < 4 &* count {
        let eight = unsafe source.loadUnaligned(fromByteOffset: place, as: SIMD8<Float>.self)
        leftSum +=
            unsafe eight * leftTaps.loadUnaligned(fromByteOffset: place, as: SIMD8<Float>.self)
        rightSum +=
            unsafe eight * rightTaps.loadUnaligned(fromByteOffset: place, as: SIMD8<Float>.self)
        place &+= 32
    }
    return SIMD2(total(leftSum), total(rightSum))
}

@inline(__always) @_noLocks private func total(_ eight: SIMD8<Float>) -> Float {
    let four = eight.lowHalf + eight.highHalf
    let two = four.lowHalf + four.highHalf
    return two.x + two.y
}
#endif
