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
let song = SongSource(sampleRate: client.sampleRate)
let mixer = graph.mainMixer
let limiter = LimiterNode(ceiling: Decibels(-1))
try graph.insert(limiter, between: mixer, and: graph.outputNode)
try graph.chain(song, mixer)
try graph.chain(graph.inputNode, mixer)
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
