import AudioGraph
import AudioMedia
import Foundation
import Testing

@testable import DuetApp

@Suite struct EventTests {
    static let events: [(Event, String)] = [
        (
            .ready(
                client: "duet", server: "default", rate: 48000, period: 128, micLatencyFrames: 256),
            #""ready","time":1.5,"client":"duet","server":"default","rate":48000,"period":128,"micLatencyFrames":256"#
        ),
        (
            .latency(captureFrames: 128, playbackFrames: 256, milliseconds: 8),
            #""latency","time":1.5,"captureFrames":128,"playbackFrames":256,"ms":8"#
        ),
        (.period(frames: 64), #""period","time":1.5,"frames":64"#),
        (
            .opening(bus: 0, url: "http://a:b@host/x.mp3", waitsFor: .server),
            #""opening","time":1.5,"bus":0,"url":"http://host/x.mp3","waitsFor":"server""#
        ),
        (
            .source(
                .init(
                    bus: 0, url: "http://a:b@host/x.mp3", codec: "MP3", rate: 44100, channels: 2,
                    bitrate: 192, duration: nil, seekable: true, live: false, gain: 1, station: nil)
            ),
            #""source","time":1.5,"bus":0,"url":"http://host/x.mp3","codec":"MP3","rate":44100,"channels":2,"bitrate":192,"duration":null,"seekable":true,"live":false,"gain":1,"station":null,"stems":null,"stemsFrom":null"#
        ),
        (
            .tags(bus: 0, title: "a\u{1B}[2Jb", artist: nil, lyrics: nil),
            #""tags","time":1.5,"bus":0,"title":"a[2Jb","artist":null,"album":null,"lyrics":null"#
        ),
        (.playing(bus: 0), #""playing","time":1.5,"bus":0"#),
        (.paused(bus: 1), #""paused","time":1.5,"bus":1"#),
        (.seeked(bus: 0, seconds: 90.5), #""seeked","time":1.5,"bus":0,"seconds":90.5"#),
        (
            .position(bus: 0, seconds: 1, duration: 2, buffered: 0.25, exact: true),
            #""position","time":1.5,"bus":0,"seconds":1,"duration":2,"buffered":0.25,"exact":true"#
        ),
        (
            .lyrics(
                bus: 0, LyricsView(Lyrics("[00:01]<00:01>a <00:02>b"), at: 2.5)!, seconds: 2.5),
            #""lyrics","time":1.5,"bus":0,"line":"a b","word":"b","lineNumber":0,"wordNumber":1,"singer":null,"singerName":null,"translation":null,"seconds":2.5"#
        ),
        (
            .stemLost(
                bus: 0, .cannotPlay(song: "i.wav", .stemLength(61.04, song: 60)), left: .vocals),
            #""stems","time":1.5,"bus":0,"stems":"vocals","reason":"cannot play i.wav: it is 61.0 s long, and the song is 60.0 s long""#
        ),
        (
            .lyrics(bus: 1, LyricsView(Lyrics("[00:01]a"), at: 0)!, seconds: 0),
            #""lyrics","time":1.5,"bus":1,"line":null,"word":null,"lineNumber":null,"wordNumber":null,"singer":null,"singerName":null,"translation":null,"seconds":0"#
        ),
        (
            .lyrics(
                bus: 0, LyricsView(Lyrics("[00:01]v2: ja\n[00:01]v2: yes\u{1B}[2J"), at: 1)!,
                seconds: 1),
            #""lyrics","time":1.5,"bus":0,"line":"ja","word":null,"lineNumber":0,"wordNumber":null,"singer":"second","singerName":null,"translation":"yes[2J","seconds":1"#
        ),
        (
            .remembered(
                bus: 0, url: "http://a:b@host/x.mp3", singer: "Anna",
                values: [
                    ("/song/key", Vocabulary.all.parameter("/song/key")!, 2),
                    ("/song/vocals/mode", Vocabulary.all.parameter("/song/vocals/mode")!, 1),
                ]),
            #""remembered","time":1.5,"bus":0,"url":"http://host/x.mp3","singer":"Anna","values":[{"address":"/song/key","value":2,"text":"+2"},{"address":"/song/vocals/mode","value":"plain","text":"plain"}]"#
        ),
        (.title(bus: 0, text: "x"), #""title","time":1.5,"bus":0,"text":"x""#),
        (
            .parameter(address: "/mic/mute", value: .boolean(true), text: "on"),
            #""parameter","time":1.5,"address":"/mic/mute","value":true,"text":"on""#
        ),
        (.underrun(bus: 0, frames: 48000), #""underrun","time":1.5,"bus":0,"frames":48000"#),
        (.recovered(bus: 0, seconds: 2.5), #""recovered","time":1.5,"bus":0,"seconds":2.5"#),
        (
            .reconnecting(bus: 0, attempt: 2, reason: "no data for 5 s", delay: 1),
            #""reconnecting","time":1.5,"bus":0,"attempt":2,"reason":"no data for 5 s","delay":1"#
        ),
        (
            .xrun(count: 2, microseconds: 120),
            #""xrun","time":1.5,"count":2,"microseconds":120"#
        ),
        (.rate(44100), #""rate","time":1.5,"rate":44100"#),
        (.serverLost(isAwaited: true), #""server","time":1.5,"state":"lost""#),
        (
            .serverBack(rate: 44100, period: 64),
            #""server","time":1.5,"state":"back","rate":44100,"period":64"#
        ),
        (
            .connected(from: "a:b", to: "c:d", isOurs: true),
            #""connected","time":1.5,"from":"a:b","to":"c:d""#
        ),
        (
            .disconnected(from: "a:b", to: "c:d", isOurs: false),
            #""disconnected","time":1.5,"from":"a:b","to":"c:d""#
        ),
        (.warning(message: "w"), #""warning","time":1.5,"message":"w""#),
        (
            .error(code: 66, message: "m", hint: "h"),
            #""error","time":1.5,"code":66,"message":"m","hint":"h""#
        ),
        (.ended(bus: 0, frames: 10), #""ended","time":1.5,"bus":0,"frames":10"#),
        (
            .bye(frames: 96000, xruns: 1, underruns: 2),
            #""bye","time":1.5,"frames":96000,"xruns":1,"underruns":2"#
        ),
        (.dropped(events: 7), #""dropped","time":1.5,"events":7"#),
    ]

    /// Numbers count from 1, and texts of any length from outside are short and safe.
    @Test func aListIsTold() throws {
        let long = String(repeating: "x", count: 1 << 20)
        let songs = [
            ListedSong(
                id: 7, location: try Location("http://a:secret@host/" + long),
                title: "a\u{1B}" + long,
                artist: "Her", duration: 61.5),
            ListedSong(
                id: 9, location: .file(path: "b.mp3"), singer: "Anna",
                state: .refused(because: .cannotOpen(song: "b.mp3", .directory))),
        ]
        let event = Event.list(bus: 0, count: 12, playing: nil, first: 4, songs: songs)
        let text = event.json(time: 1.5)
        #expect(
            text.hasPrefix(
                #"{"event":"list","time":1.5,"bus":0,"count":12,"playing":null,"first":5,"songs":[{"#
            ))
        #expect(
            text.hasSuffix(
                ##","artist":"Her","singer":null,"duration":61.5,"state":"waiting","reason":null},"##
                    + ##"{"url":"b.mp3","title":null,"artist":null,"singer":"Anna","##
                    + ##""duration":null,"state":"refused","reason":"it is a directory"}]}"## + "\n"
            ))
        // The current song is told apart, unless it cannot be played.
        let states = (4...5).map { playing in
            Event.list(bus: 0, count: 12, playing: playing, first: 4, songs: songs).json(time: 0)
        }
        #expect(states[0].contains(##""state":"playing""##))
        #expect(!states[1].contains(##""state":"playing""##))
        #expect(text.utf8.count < 1400 && !text.contains("secret") && !text.contains("\u{1B}"))
        #expect(event.text == nil)
    }

    @Test(arguments: events)
    func line(event: Event, fields: String) throws {
        let line = event.json(time: 1.5)
        #expect(line == "{\"event\":" + fields + "}\n")
        #expect(throws: Never.self) { try JSONSerialization.jsonObject(with: Data(line.utf8)) }
    }

    @Test func whatPeopleRead() {
        let source = Event.source(
            .init(
                bus: 0, url: "http://u:p@h/\u{7}a.mp3", codec: "MP3", rate: 44100, channels: 1,
                bitrate: 128, duration: 90, seekable: true, live: false, gain: 1, station: nil))
        #expect(
            source.text
                == "song: http://h/a.mp3: MP3, 44100 Hz, mono, 128 kbit/s, 1:30")
        let station = Event.source(
            .init(
                bus: 0, url: "http://h/live", codec: "MP3", rate: 44100, channels: 2,
                bitrate: 128, duration: nil, seekable: false, live: true, gain: 1,
                station: "Radio Q"))
        #expect(
            station.text
                == "song: Radio Q, live, http://h/live: MP3, 44100 Hz, stereo, 128 kbit/s")
        #expect(Event.playing(bus: 0).text == nil)
        #expect(Event.warning(message: "x\ny").text == "warning: x y")
    }
}
