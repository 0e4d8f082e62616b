// Planted faults for render-path.py --self-test. A line with "finds:" must be found for that reason,
// and no other line: what the render path does not reach may do as it likes.
import Synchronization

final class Detector {
    var level: Float = 0
}

/// A unit in one file: the control thread has the class, the render thread the struct.
public final class UnitNode {
    private let kernel: UnsafeMutablePointer<Unit>
    private var names = ["level"]
    private let lock = Mutex<[Float]>([])

    public init() {
        kernel = .allocate(capacity: 1)
        kernel.initialize(to: Unit())
    }

    public func name(_ name: String) throws -> [String] {
        print(name)
        names += [name]
        guard lock.withLock({ $0.isEmpty }) else { throw Refusal() }
        return names
    }
}

public struct Unit {
    private var gain: Float = 1
    private var kept: Float = 0
    private var unset: Float { gain * 2 }  // finds: on the render path without @_noLocks
    private var isLoud: Bool { @_noLocks get { gain > 1 } }
    private var half: Float {
        @_noLocks get { gain / 2 }
    }

    @_noLocks public mutating func render(_ samples: UnsafeMutablePointer<Float>, _ count: Int) {
        defer { kept = samples[0] }
        for i in 0..<count { samples[i] *= gain }
        helper(samples, count)
        outOfLine(samples)
        samples[0] += unset + half + weight(count) + made(kept)
        if isLoud { say(kept) }
        if case .failure = Result(catching: { try refuse(count) }) { samples[0] = 0 }  // finds: not in realtime code: try
        samples[1] = waiting { samples[1] * 2 }
    }

    private func helper(_ samples: UnsafeMutablePointer<Float>, _ count: Int) {  // finds: on the render path without @_noLocks
        for i in 0..<count { samples[i] += 1 }
    }

    @inline(never)
    private func outOfLine(_ samples: UnsafeMutablePointer<Float>) {  // finds: on the render path without @_noLocks
        samples[0] += 1
    }

    @_noLocks private func weight(_ index: Int) -> Float {
        let weights: [Float] = [0.5, 0.25, gain]  // finds: not in realtime code: :
        return weights[index % 3]
    }

    @inline(never)
    @_noLocks private func made(_ level: Float) -> Float {  // finds: may block: swift_
        let detector = Detector()  // finds: not in realtime code: Detector
        detector.level = level
        detectors = detector
        return detector.level
    }

    @inline(never)
    @_noLocks private func say(_ level: Float) {  // finds: may block:
        print("level", level)  // finds: not in realtime code: print
    }

    @_noLocks private func refuse(_ count: Int) throws {  // finds: not in realtime code: throws
        if count > 8 { throw Refusal() }
    }

    @_noLocks private func waiting(_ body: () -> Float) -> Float {
        _unsafePerformance { body() }  // finds: a way around
    }

    /// Nothing calls it: the compiler's proof is enough.
    @_noLocks public func peek() -> [Float] { [gain] }
}

nonisolated(unsafe) private var detectors: Detector?
struct Refusal: Error {}

struct LiveDriver {
    @_noLocks func waitForSources() {
        // The one place.
        let areThere = _unsafePerformance {
            true
        }
        _ = areThere
    }
}

struct CallbackKernel {
    @_noLocks func fill() { crealtime_call() }
    @_noLocks func render() {
        if true {
            crealtime_call()  // finds: a way around
        }
    }
}

enum Callback {
    static func call() { crealtime_call() }  // finds: a way around
}

private func crealtime_call() {}
