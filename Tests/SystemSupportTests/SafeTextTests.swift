import Testing

@testable import SystemSupport

@Suite struct SafeTextTests {
    @Test(arguments: [
        ("plain", "plain"), ("", ""), ("a\u{1B}[31mb", "a[31mb"), ("bell\u{7}", "bell"),
        ("two\nlines\tand", "two lines and"), ("\r\nx", " x"), ("\u{9B}2J", "2J"),
        ("ab\u{202E}cd\u{2066}", "abcd"), ("\u{200F}a\u{200E}b\u{61C}", "ab"), ("a\u{2028}b", "ab"),
        ("Zoë 👩‍🎤 日本", "Zoë 👩‍🎤 日本"),
    ])
    func cleans(text: String, shown: String) {
        #expect(SafeText.clean(text) == shown)
    }

    @Test func bytesAreUTF8OrLatin1() {
        #expect(SafeText.clean(bytes: Array("Zoë\u{1B}".utf8)) == "Zoë")
        #expect(SafeText.clean(bytes: [0x5A, 0x6F, 0xEB, 0x07]) == "Zoë")
    }

    @Test(arguments: [
        ("http://user:secret@host/a.mp3", "http://host/a.mp3"),
        ("https://user@host", "https://host"), ("http://host/a@b", "http://host/a@b"),
        ("http://a:p@ss@host/x", "http://host/x"), ("http://host?q=a@b", "http://host?q=a@b"),
        ("from http://a:b@c/ to http://d:e@f/", "from http://c/ to http://f/"),
        ("no url: a@b", "no url: a@b"),
    ])
    func hidesCredentials(text: String, shown: String) {
        #expect(SafeText.withoutCredentials(text) == shown)
    }
}
