// Mixes a song into a sound file, on the right at half its volume, as fast as the processor can.
import AudioGraph
import AudioMedia
import Glibc

guard CommandLine.arguments.count > 2 else {
    print("usage: OfflineRender SONG FILE.wav")
    exit(64)
}
let location: Location
do {
    location = try Location(CommandLine.arguments[1])
} catch {
    print(error)
    exit(1)
}
let rate = 48_000
let graph = Graph(sampleRate: rate)
let io = HardwareIO(inputChannels: 0)
let song = SongSource(sampleRate: rate)
let mixer = MixerNode(inputs: 1)
for node in [io, song, mixer] { try graph.add(node) }
try graph.connect(song, to: mixer)
try graph.connect(mixer, to: io)
mixer.inputs[0].volume = Volume(gain: 0.5)
mixer.inputs[0].pan = .right
try graph.prepare()
try graph.start()

// The driver waits for the song, so the song may take its time.
let queue = SongQueue([location], source: song, isExact: true)
queue.start()
let renderer = try OfflineRenderer(graph)
let beginning = renderer.render(frames: 4096)
// A file of that name is replaced only by a song that plays.
if let error = queue.error {
    print(error)
    exit(66)
}
do {
    let file = try SoundFileWriter(path: CommandLine.arguments[2], sampleRate: rate)
    try file.write(beginning)
    while song.state != .ended { try file.write(renderer.render(frames: 4096)) }
    try file.close()
    print("\(file.frameCount) frames")
} catch {
    print(error)
    exit(1)
}
if let error = queue.error {
    print(error)
    exit(66)
}
