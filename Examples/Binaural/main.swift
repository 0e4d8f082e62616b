// Leads a sound once around the listener's head, for headphones, and prints which ear hears it
// louder.
import AudioGraph
import Glibc

let graph = Graph(sampleRate: 48_000)
let panner = BinauralPannerNode()
try graph.chain(graph.inputNode, panner, graph.outputNode)
try graph.prepare()
try graph.start()

// Until the file is read sound is panned by its level alone.
guard panner.waitUntilRead(milliseconds: 10_000), panner.fault == nil else {
    print(panner.fault.map { "\($0)" } ?? "the file is not read yet")
    exit(66)
}
graph.collect()
print("latency: \(panner.latency > 0 ? "some" : "no") frames")

/// The level of a channel in dB.
func level(_ samples: [Float]) -> Double {
    10 * log10(Double(samples.reduce(0) { $0 + $1 * $1 }) / Double(samples.count))
}

let renderer = try OfflineRenderer(graph)
var phase: Float = 0
for azimuth in [0.0, 90, 180, -90] {
    panner.azimuth = azimuth
    // A saw tooth of 200 Hz, for half a second.
    let tone = (0..<24_000).map { _ in
        phase = phase < 0.5 ? phase + 200 / 48_000 : phase - 1
        return phase / 2
    }
    let ears = renderer.render(frames: 24_000, inputs: [tone]).map { Array($0[4800...]) }
    let difference = level(ears[1]) - level(ears[0])
    let side = abs(difference) < 3 ? "both alike" : difference > 0 ? "right" : "left"
    print("\(Int(azimuth)) degrees: \(side)")
}
