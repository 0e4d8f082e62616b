// An effect of your own: a tremolo between the input and the output of a graph, rendered offline.
// Prints the highest sample of every tenth of a second.
import AudioGraph

let state = UnsafeMutablePointer<Tremolo>.allocate(capacity: 1)
state.initialize(to: Tremolo(rate: 2, depth: 0.5, sampleRate: 48_000))

let graph = Graph(sampleRate: 48_000)
let io = HardwareIO(inputChannels: 1)
let tremolo = CallbackEffect(context: state, name: "tremolo", renderTremolo)
try graph.add(io)
try graph.add(tremolo)
try graph.connect(io, bus: 1, to: tremolo)
try graph.connect(tremolo, to: io)
try graph.prepare()
try graph.start()

let renderer = try OfflineRenderer(graph)
for _ in 0..<10 {
    let out = renderer.render(frames: 4800, inputs: [[Float](repeating: 1, count: 4800)])
    print(out[0].max() ?? 0)
}
