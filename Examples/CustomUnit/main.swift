// An effect of your own, in Swift and in C: a tremolo between the input and the output of a graph,
// rendered offline. Prints the highest sample of every tenth of a second.
import AudioGraph
import CTremolo

/// What is heard of two seconds of ones, while the tremolo becomes deeper after the first.
func heard(_ functions: UnitFunctions) throws -> [Float] {
    let graph = Graph(sampleRate: 48_000)
    let tremolo = CustomUnit(
        functions, name: "tremolo",
        parameters: [
            ParameterDescription("rate", .hertz, 0.1...20, default: 2, ramp: 50),
            ParameterDescription("depth", .number, 0...1, default: 0.5, ramp: 10),
        ])
    try graph.chain(graph.inputNode, tremolo, graph.outputNode)
    try graph.prepare()
    try graph.start()
    try tremolo.schedule("depth", to: 0.8, at: 48_000)
    return try OfflineRenderer(graph).render(
        frames: 96_000, inputs: [[Float](repeating: 1, count: 96_000)])[0]
}

let out = try heard(tremoloFunctions)
for tenth in 0..<20 { print(out[tenth * 4800..<(tenth + 1) * 4800].max() ?? 0) }
print(try heard(ctremolo_functions()) == out ? "in C the same" : "in C something else")
