// Plays an MP3 from an address on the right, and you on the left: bus 0 and bus 1 of a mixer.
import AudioGraph
import AudioMedia
import Glibc
import JackIO
import Synchronization

guard CommandLine.arguments.count > 1 else {
    print("usage: TwoSourceMixer URL [JACK-SERVER]")
    exit(64)
}
let server = CommandLine.arguments.dropFirst(2).first ?? Libjack.defaultServer
let location: Location
let client: JackClient
do {
    location = try Location(CommandLine.arguments[1])
    client = try JackClient.open(JackConfiguration(name: "two-sources"), server: server)
} catch {
    print(error)
    exit(1)
}

let graph = Graph(sampleRate: client.sampleRate)
let io = HardwareIO(inputChannels: 1)  // bus 0 to the speakers, bus 1 from the microphone
let song = SongSource(sampleRate: client.sampleRate)
let mixer = MixerNode(inputs: 2)
let limiter = LimiterNode(ceiling: Decibels(-1))
for node in [io, song, mixer, limiter] { try graph.add(node) }
try graph.connect(song, to: mixer, bus: 0)
try graph.connect(io, bus: 1, to: mixer, bus: 1)
try graph.connect(mixer, to: limiter)
try graph.connect(limiter, to: io, bus: 0)
mixer.inputs[0].pan = .right
mixer.inputs[1].pan = .left
try graph.prepare()
try graph.start()

let isOver = Atomic(false)
let queue = SongQueue([location], source: song) { event in
    print(event)
    if event == .finished { isOver.store(true, ordering: .relaxed) }
}
try client.activate(rendering: graph)
queue.start()
var news = pollfd(fd: client.eventDescriptor, events: Int16(POLLIN), revents: 0)
while !isOver.load(ordering: .relaxed), !client.isLost {
    poll(&news, 1, 200)
    for event in client.drainEvents() { print(event) }
    graph.collect()
}
client.close()
if queue.error != nil { exit(66) }
