import Testing

@testable import DuetApp

/// The page that finds songs, at every size.
@Suite struct FindPageTests: ScreenSuite {
    private static let found: ScreenState.Find = {
        var find = ScreenState.Find()
        (find.text, find.count, find.selected) = ("que", 1234, 1)
        find.scope = "50000 songs in the music folders"
        find.songs =
            [
                .init(text: "ABBA – Dancing Queen", place: "song 7, plays now", isListed: true),
                .init(
                    text: "Queen – Bohemian Rhapsody", place: "Queen/A Night at the Opera/11.flac"),
            ]
            + (0..<100).map { .init(text: "Queen – No. \($0)", place: "Queen/\($0).mp3") }
        return find
    }()

    private func page(
        _ columns: Int, _ rows: Int, _ change: (inout ScreenState.Find) -> Void = { _ in }
    ) -> [String] {
        lines(columns, rows) { state in
            var find = Self.found
            change(&find)
            (state.page, state.find, state.hints) = (.find, find, FindPage.hints ?? [])
        }
    }

    @Test func songsStandWithTheirPlaces() {
        let shown = page(80, 24)
        #expect(shown[2].hasPrefix(" find: que_") && shown[2].hasSuffix(" 1234 found"))
        #expect(shown[3].hasPrefix("   ABBA – Dancing Queen "))
        #expect(shown[3].hasSuffix(" song 7, plays now"))
        #expect(shown[4].hasPrefix(" ▸ Queen – Bohemian Rhapsody "))
        #expect(shown[4].hasSuffix(" Queen/A Night at the Opera/11.flac"))
        #expect(shown[21] == " 50000 songs in the music folders")
        #expect(
            shown[23]
                == " enter add at the end  tab add as next  ↑/↓ select  shift-tab singer  esc close"
        )
    }

    @Test(arguments: [(40, 10), (60, 16), (80, 24), (200, 60)])
    func selectedSongIsSeen(columns: Int, rows: Int) {
        for selected in [0, 1, 50, 101] {
            let shown = page(columns, rows) { $0.selected = selected }
            let title = Self.found.songs[selected].text.prefix(12)
            #expect(shown.contains { $0.hasPrefix(" ▸ \(title)") }, "\(shown)")
            #expect(shown[2].contains("que_"))
        }
    }

    /// A long title keeps its beginning, a long place its end.
    @Test func longNamesAreCut() {
        let shown = page(60, 16) {
            $0.songs = [
                .init(
                    text: "A" + String(repeating: "a", count: 80),
                    place: String(repeating: "b", count: 80) + "B.mp3")
            ]
            $0.selected = 0
        }
        #expect(shown[3].hasPrefix(" ▸ Aaaaa") && shown[3].hasSuffix("bbbB.mp3"), "\(shown)")
        #expect(shown[3].contains("aa…") && shown[3].contains("…bb"))
    }

    @Test func problemsAndNothingAreSaid() {
        let shown = page(80, 24) {
            ($0.songs, $0.count) = ([], 0)
            $0.problems = ["/media/usb: No such file or directory"]
        }
        #expect(
            shown.contains(" nothing found")
                && shown.contains(" /media/usb: No such file or directory"))
        let empty = page(80, 24) { ($0.songs, $0.count, $0.text) = ([], 0, "") }
        #expect(empty.contains { $0.hasPrefix(" type beginnings of words") })
    }
}
