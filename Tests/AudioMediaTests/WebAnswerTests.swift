import Testing

@testable import AudioMedia

/// Where a question may be sent on to.
@Suite struct WebAnswerTests {
    @Test(arguments: [
        ("http://a/x", "http://a/y", true), ("https://a/x", "http://a/y", true),
        ("http://a/x", "https://a/y", false), ("http://A:80/x", "http://a/y", true),
        ("http://a:81/x", "http://a/y", false), ("https://a/x", "http://a:81/y", false),
        ("https://a:444/", "https://a:443/", false), ("http://b/", "http://a/", false),
        ("http://[::1]:80/x", "http://[::1]/", true), ("http://[::1]:81/x", "http://[::1]/", false),
        ("http://u:p@a/x", "http://a/y", true), ("http://a@b/x", "http://a/y", false),
        ("http://a?b/", "http://a/", true), ("", "http://a/", false),
    ])
    func onlyTheSameServerIsAsked(address: String, other: String, isSame: Bool) {
        #expect(WebAnswer.isSameServer(address, as: other) == isSame)
    }
}
