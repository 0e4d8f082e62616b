// Measures how fast graphs render. twin.c does the work of the first one, to compare with.
//
// usage: render-bench default SONG MIC OUT PERIOD PASSES
//        render-bench buses COUNT PERIOD PASSES
//        render-bench effect UNIT SOUND PERIOD PASSES [NAME[.BAND]=VALUE…]
//        render-bench voice MIC PERIOD PASSES
//
// SONG, SOUND: interleaved stereo, MIC: mono, all raw Float; OUT: what the first pass gave,
// interleaved. UNIT: an effect of the registry, NAME a parameter of it.
// Prints nanoseconds of this thread's processor time per frame, the median of the passes.

import AudioGraph
import CRealtime
import Glibc

let sampleRate = 48_000

func nanoseconds() -> Int {
    var now = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now)
    return now.tv_sec * 1_000_000_000 + now.tv_nsec
}

func fail(_ message: String) -> Never {
    let line = "render-bench: \(message)\n"
    write(STDERR_FILENO, line, line.utf8.count)
    exit(64)
}

/// A raw file of Floats.
func samples(of path: String) -> UnsafeMutableBufferPointer<Float> {
    guard let file = fopen(path, "r") else { fail("cannot open \(path)") }
    fseek(file, 0, SEEK_END)
    let count = ftell(file) / 4
    rewind(file)
    let result = UnsafeMutableBufferPointer<Float>.allocate(capacity: count)
    guard fread(result.baseAddress, 4, count, file) == count else { fail("cannot read \(path)") }
    fclose(file)
    return result
}

func report(_ passes: [Int], frames: Int) {
    let median = passes.sorted()[passes.count / 2]
    print(Double(median) / Double(frames))
}

/// The graph of `sing`, as far as it renders: song and mic, mixer, guard, limiter, feedback guard.
func measureDefault(_ words: [String]) throws {
    guard words.count == 5, let period = Int(words[3]), let passes = Int(words[4]) else {
        fail("default SONG MIC OUT PERIOD PASSES")
    }
    let song = samples(of: words[0])
    let mic = samples(of: words[1])
    let frames = mic.count / period * period
    let out = UnsafeMutableBufferPointer<Float>.allocate(capacity: 2 * frames)

    let graph = Graph(sampleRate: sampleRate)
    let io = HardwareIO(inputChannels: 1)
    let source = SongSource(sampleRate: sampleRate)
    let mixer = MixerNode(inputs: 2)
    let limiter = LimiterNode()
    let feedbackGuard = FeedbackGuardNode()
    let chain = [GuardNode(), limiter]
    for node in [io, source, mixer, feedbackGuard] + chain { try graph.add(node) }
    try graph.connect(source, to: mixer, bus: 0)
    try graph.connect(io, to: mixer, bus: 1)
    var last: AudioNode = mixer
    for node in chain + [io] {
        try graph.connect(last, to: node)
        last = node
    }
    try feedbackGuard.watch(microphone: 1, of: mixer, limiter: limiter)
    try graph.prepare()
    try graph.start()

    let left = UnsafeMutablePointer<Float>.allocate(capacity: period)
    let right = UnsafeMutablePointer<Float>.allocate(capacity: period)
    let inputs = UnsafeMutablePointer<UnsafeMutablePointer<Float>>.allocate(capacity: 1)
    let outputs = UnsafeMutablePointer<UnsafeMutablePointer<Float>>.allocate(capacity: 2)
    (outputs[0], outputs[1]) = (left, right)
    _ = crealtime_flush_denormals()

    let feed = source.feed
    var pushed = 0
    var times: [Int] = []
    for pass in 0...passes {
        var (taken, done) = (0, 0)
        while done < frames {
            // Before each round of rendering the ring is filled with whole periods, as many as fit.
            while true {
                let at = pushed % frames
                let n = min(period, frames - at)
                if feed.space < n { break }
                feed.push(song.baseAddress! + 2 * at, count: n, at: Int64(pushed))
                pushed += n
            }
            if feed.isWaiting { feed.release() }
            let rounds = min((feed.bufferedFrames - 256) / period, (frames - done) / period)
            let start = nanoseconds()
            for _ in 0..<rounds {
                inputs[0] = mic.baseAddress! + done
                graph.context.pointee.render(frames: period, inputs: inputs, outputs: outputs)
                if pass == 0 {
                    for i in 0..<period {
                        out[2 * (done + i)] = left[i]
                        out[2 * (done + i) + 1] = right[i]
                    }
                }
                done += period
            }
            taken += nanoseconds() - start
        }
        // The first pass also keeps what it made.
        if pass > 0 { times.append(taken) }
    }
    guard source.underruns == 0 else { fail("the song underran") }
    guard let file = fopen(words[2], "w") else { fail("cannot create \(words[2])") }
    fwrite(out.baseAddress, 4, out.count, file)
    fclose(file)
    report(times, frames: frames)
}

/// Many mono buses, each with its own volume and pan, all fed by the one microphone.
func measureBuses(_ words: [String]) throws {
    guard words.count == 3, let count = Int(words[0]), let period = Int(words[1]),
        let passes = Int(words[2])
    else { fail("buses COUNT PERIOD PASSES") }
    let graph = Graph(sampleRate: sampleRate)
    let io = HardwareIO(inputChannels: 1)
    let mixer = MixerNode(inputs: count)
    try graph.add(io)
    try graph.add(mixer)
    for bus in 0..<count {
        mixer.inputs[bus].volume = Volume(gain: 0.01 * Double(bus + 1))
        mixer.inputs[bus].pan = Pan(Double(bus) / Double(count) * 2 - 1)
        try graph.connect(io, to: mixer, bus: bus)
    }
    try graph.connect(mixer, to: io)
    try graph.prepare()
    try graph.start()

    let frames = sampleRate / period * period
    let noise = UnsafeMutablePointer<Float>.allocate(capacity: frames)
    for i in 0..<frames { noise[i] = Float.random(in: -1...1) }
    let inputs = UnsafeMutablePointer<UnsafeMutablePointer<Float>>.allocate(capacity: 1)
    let outputs = UnsafeMutablePointer<UnsafeMutablePointer<Float>>.allocate(capacity: 2)
    outputs[0] = .allocate(capacity: period)
    outputs[1] = .allocate(capacity: period)
    _ = crealtime_flush_denormals()
    var times: [Int] = []
    for _ in 0..<passes {
        let start = nanoseconds()
        for at in stride(from: 0, to: frames, by: period) {
            inputs[0] = noise + at
            graph.context.pointee.render(frames: period, inputs: inputs, outputs: outputs)
        }
        times.append(nanoseconds() - start)
    }
    report(times, frames: frames)
}

/// One effect between input and output, both stereo.
func measureEffect(_ words: [String]) throws {
    guard words.count >= 4, let period = Int(words[2]), let passes = Int(words[3]),
        let unit = UnitRegistry.make(
            UnitKind(type: .effect, name: words[0]), sampleRate: sampleRate)
    else { fail("effect UNIT SOUND PERIOD PASSES [NAME[.BAND]=VALUE…]") }
    for word in words.dropFirst(4) {
        let parts = word.split(separator: "=")
        let name = parts[0].split(separator: ".")
        guard parts.count == 2, let value = Double(parts[1]) else { fail("wrong value: \(word)") }
        let band = name.count == 2 ? Int(name[1]) : nil
        try unit.set(
            ParameterName(String(name[0])), scope: band == nil ? .global : .band,
            element: band ?? 0, to: value)
    }
    let sound = samples(of: words[1])
    let frames = sound.count / 2 / period * period
    let sides = (0..<2).map { side in
        let channel = UnsafeMutablePointer<Float>.allocate(capacity: frames)
        for i in 0..<frames { channel[i] = sound[2 * i + side] }
        return channel
    }
    try measure([unit], between: sides, frames: frames, period: period, passes: passes)
}

/// All effects for a voice in a row, each at work.
func measureVoice(_ words: [String]) throws {
    guard words.count == 3, let period = Int(words[1]), let passes = Int(words[2]) else {
        fail("voice MIC PERIOD PASSES")
    }
    let equalizer = EqualizerNode()
    try equalizer.use(preset: "vocal-booster")
    for (filter, kind) in zip(equalizer.filters, [FilterKind.lowPass, .peak]) {
        (filter.kind, filter.gain) = (kind, Decibels(3))
    }
    let mic = samples(of: words[0])
    guard let channel = mic.baseAddress else { fail("nothing in \(words[0])") }
    try measure(
        [
            HighPassNode(), GateNode(),
            CompressorNode(), DeEsserNode(), equalizer,
            DelayNode(), ReverbNode(),
        ], between: [channel], frames: mic.count / period * period, period: period, passes: passes)
}

/// Renders `units`, one behind the other, between input and output.
func measure(
    _ units: [AudioNode], between channels: [UnsafeMutablePointer<Float>], frames: Int, period: Int,
    passes: Int
) throws {
    let graph = Graph(sampleRate: sampleRate)
    let io = HardwareIO(inputChannels: channels.count)
    try graph.add(io)
    var last: (node: AudioNode, bus: Int) = (io, 1)
    for unit in units {
        try graph.add(unit)
        try graph.connect(last.node, bus: last.bus, to: unit)
        last = (unit, 0)
    }
    try graph.connect(last.node, to: io)
    try graph.prepare()
    try graph.start()

    let inputs = UnsafeMutablePointer<UnsafeMutablePointer<Float>>.allocate(capacity: 2)
    let outputs = UnsafeMutablePointer<UnsafeMutablePointer<Float>>.allocate(capacity: 2)
    outputs[0] = .allocate(capacity: period)
    outputs[1] = .allocate(capacity: period)
    _ = crealtime_flush_denormals()
    var times: [Int] = []
    for _ in 0..<passes {
        let start = nanoseconds()
        for at in stride(from: 0, to: frames, by: period) {
            for (number, channel) in channels.enumerated() { inputs[number] = channel + at }
            graph.context.pointee.render(frames: period, inputs: inputs, outputs: outputs)
        }
        times.append(nanoseconds() - start)
    }
    report(times, frames: frames)
}

let words = Array(CommandLine.arguments.dropFirst())
switch words.first {
case "default": try measureDefault(Array(words.dropFirst()))
case "buses": try measureBuses(Array(words.dropFirst()))
case "effect": try measureEffect(Array(words.dropFirst()))
case "voice": try measureVoice(Array(words.dropFirst()))
default: fail("default, buses, effect or voice, and what these take")
}
