// Plays your microphone, and records what you hear into a file, until you press Enter.
import AudioGraph
import Glibc
import JackIO

guard CommandLine.arguments.count > 1 else {
    print("usage: Record FILE.wav [JACK-SERVER]")
    exit(64)
}
let server = CommandLine.arguments.dropFirst(2).first ?? Libjack.defaultServer
let client: JackClient
let recording: Recording
do {
    // Without `microphone`, the first physical port that gives sound.
    let microphone = PortSelection.one(try PortPattern(pattern: "system:capture_1"))
    client = try JackClient.open(
        JackConfiguration(name: "record", microphone: microphone), server: server)
    recording = try Recording(
        path: CommandLine.arguments[1], sampleRate: client.sampleRate)
} catch {
    print(error)
    exit(1)
}

let graph = Graph(sampleRate: client.sampleRate)
let tap = TapNode { _, channels in recording.write(channels) }
try graph.chain(graph.inputNode, graph.mainMixer)
try graph.insert(tap, between: graph.mainMixer, and: graph.outputNode)
try graph.prepare()
try graph.start()
try client.activate(rendering: graph)
print("recording; press Enter to stop")

var news = [client.eventDescriptor, STDIN_FILENO].map {
    pollfd(fd: $0, events: Int16(POLLIN), revents: 0)
}
while news[1].revents == 0, !client.isLost {
    poll(&news, 2, 200)
    for event in client.drainEvents() { print(event) }
    graph.collect()
}
client.close()
do {
    print("\(try recording.close()) frames")
} catch {
    print(error)
    exit(1)
}
