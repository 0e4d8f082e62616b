import AudioGraph

/// What users of AUGraph and AVAudioEngine write, in the words of `AudioGraph`: every line of the
/// page "For readers of the Audio Unit documents" that is about graphs and mixers.
func useAGraph() throws {
    // The graph and its nodes.
    let graph = Graph(sampleRate: 48_000)
    let song = SongSource(sampleRate: 48_000)
    let mixer = MixerNode(inputs: 2)
    let (effect, limiter) = (GainNode(), LimiterNode())
    for node in [song, mixer] { try graph.add(node) }
    try graph.connect(song, bus: 0, to: mixer, bus: 0)
    try graph.connect(graph.inputNode, to: mixer)
    try graph.chain(mixer, effect, graph.outputNode)
    song.feed.finish()
    song.feed.release()

    // Its life.
    try graph.prepare(maximumFrames: 4096)
    graph.runningChanged = { isRunning in print("running: \(isRunning)") }
    try graph.start()
    let renderer = try OfflineRenderer(graph)
    let output = renderer.render(frames: 480, inputs: [[Float](repeating: 0.5, count: 480)])
    print("\(output.count) channels, running: \(graph.isRunning)")
    graph.measuresLoad = true
    print("load: \(graph.load < 1)")
    print(graph)
    print(graph.dot)
    graph.reset()
    graph.collect()

    // Changes while it runs.
    try graph.edit {
        graph.disconnect(mixer, bus: 1)
        try graph.connect(graph.inputNode, to: mixer, bus: 1)
    }
    try graph.insert(limiter, between: effect, and: graph.outputNode)
    try graph.edit {
        try graph.remove(effect)
        try graph.connect(mixer, to: limiter)
    }
    for connection in graph.connections {
        print("\(connection.source.name) to \(connection.sink.name): \(connection.format)")
    }
    print(mixer.format(ofInput: 1)!, mixer.format(ofOutput: 0)!)

    // The mixer.
    mixer.inputs[0].volume = Volume(gain: 0.5)
    mixer.inputs[0].pan = .right
    mixer.inputs[1].pan = .left
    mixer.inputs[1].isMuted = true
    mixer.inputs[1].isSolo = true
    mixer.outputVolume = Volume(Decibels(-6))
    print(mixer.inputs[0].levels.peak.left)
    mixer.addInput()
    mixer.removeLastInput()
    graph.stop()

    // The graph's own mixer, with a bus for each source.
    let simple = Graph(sampleRate: 48_000)
    try simple.chain(simple.inputNode, GateNode(), simple.mainMixer)
    simple.mainMixer.inputs[0].pan = .left
}

/// Units, parameters, properties and their listeners.
func useUnits() throws {
    print(UnitRegistry.all(type: .effect).count)
    print(UnitRegistry.first(type: .mixer)!.summary)
    let unit = UnitRegistry.make(MixerNode.unit.kind, sampleRate: 48_000)!
    let graph = Graph(sampleRate: 48_000)
    try graph.chain(graph.inputNode, unit, graph.outputNode)
    try graph.prepare()
    try graph.start()
    let listener = graph.addListener { change in print(change.address, change.value) }
    try unit.set(.volume, scope: .input, element: 0, to: 0.5)
    print(try unit.value(of: .volume, scope: .input, element: 0))
    try unit.schedule(.pan, scope: .input, element: 0, to: -1, at: 48_000, ramp: 480)
    print(try unit.value(ofProperty: "latency"))
    let watch = graph.addPropertyListener("mono-pan", of: unit) { change in print(change.value) }
    try unit.set(property: "mono-pan", scope: .input, element: 0, to: .switch(true))
    print(unit.unit.parameters.map(\.name))
    graph.collect()
    listener.cancel()
    watch.cancel()
    let limiter = LimiterNode()
    try limiter.use(preset: "streaming")
    print(limiter.currentPreset?.name ?? "none")
    limiter.isBypassed = true
    print(StreamFormat(sampleRate: 48_000, channelCount: 2))
}
