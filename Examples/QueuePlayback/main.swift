// Plays a song as the audio queue of the documents does: three buffers, which are filled on a thread
// of the player's as soon as one of them has been played.
import AudioGraph
import AudioMedia
import Glibc
import JackIO
import Synchronization

guard CommandLine.arguments.count > 1 else {
    print("usage: QueuePlayback SONG [JACK-SERVER]")
    exit(64)
}
let server = CommandLine.arguments.dropFirst(2).first ?? Libjack.defaultServer
let song: QueuedSong
let client: JackClient
do {
    song = try QueuedSong(Location(CommandLine.arguments[1]))
    client = try JackClient.open(
        JackConfiguration(name: "queue", microphoneChannels: 0), server: server)
} catch {
    print(error)
    exit(1)
}
print("\(song.format), \(song.length ?? 0) frames")

let isOver = Atomic(false)
let player = QueuePlayerNode(
    format: song.format, buffers: 3, frames: 8192,
    fill: song.fill,
    listener: { event in
        if case .running(false) = event { isOver.store(true, ordering: .relaxed) }
    })
let graph = Graph(sampleRate: client.sampleRate)
try graph.chain(player, HardwareIO(inputChannels: 0))
try graph.prepare()
try graph.start()

player.prime()
player.start()
try client.activate(rendering: graph)
print("playing")
var news = pollfd(fd: client.eventDescriptor, events: Int16(POLLIN), revents: 0)
while !isOver.load(ordering: .relaxed), !client.isLost {
    poll(&news, 1, 100)
    for event in client.drainEvents() { print(event) }
    graph.collect()
}
client.close()
if let failure = song.failure {
    print(failure)
    exit(74)
}
