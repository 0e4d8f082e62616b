// Plays an MP3 from an address on the right, and you on the left: bus 0 and bus 1 of a mixer.
import AudioGraph
import AudioMedia
import Glibc
import JackIO

guard CommandLine.arguments.count > 1 else {
    print("usage: TwoSourceMixer URL [JACK-SERVER]")
    exit(64)
}
let server = CommandLine.arguments.dropFirst(2).first ?? Libjack.defaultServer
let location: Location
let engine: AudioEngine
do {
    location = try Location(CommandLine.arguments[1])
    engine = try AudioEngine(name: "two-sources", server: server)
} catch {
    print(error)
    exit(1)
}

let graph = engine.graph
let song = SongSource(sampleRate: graph.sampleRate)
let mixer = graph.mainMixer
let limiter = LimiterNode(ceiling: Decibels(-1))
try graph.insert(limiter, between: mixer, and: graph.outputNode)
try graph.chain(song, mixer)
try graph.chain(graph.inputNode, mixer)
mixer.inputs[0].pan = .right
mixer.inputs[1].pan = .left

let queue = SongQueue([location], source: song) { event in
    print(event)
    if event == .finished { engine.stop() }
}
let events = engine.events()
try engine.start()
queue.start()
for await event in events { print(event) }
if let failure = engine.failure { print(failure) }
if queue.error != nil || engine.failure != nil { exit(66) }
