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
let song = SongSource(sampleRate: rate)
try graph.chain(song, graph.mainMixer)
graph.mainMixer.inputs[0].volume = Volume(gain: 0.5)
graph.mainMixer.inputs[0].pan = .right
try graph.prepare()
try graph.start()

// The driver waits for the song, so the song may take its time.
let queue = SongQueue([location], source: song, isExact: true)
queue.start()
var file: SoundFileWriter?
do {
    try OfflineRenderer(graph).render(untilEndOf: song) { buffer in
        // A file of that name is replaced only by a song that plays.
        guard queue.error == nil else { return }
        let open = try file ?? SoundFileWriter(path: CommandLine.arguments[2], sampleRate: rate)
        file = open
        try open.write(buffer)
    }
    try file?.close()
} catch {
    print(error)
    exit(1)
}
if let error = queue.error {
    print(error)
    exit(66)
}
print("\(file?.frameCount ?? 0) frames")
