import Testing

@testable import AudioMedia

/// Which header lines of a transfer begin and end a head, and which heads are a station's.
@Suite struct AnswerHeadsTests {
    private static let redirect = ["HTTP/1.1 302 Found", "Location: /a", ""]

    private func heads(_ lines: [String]) -> AnswerHeads {
        var heads = AnswerHeads()
        for line in lines { heads.note(Array((line + "\r\n").utf8)) }
        return heads
    }

    @Test(arguments: [
        (["HTTP/1.1 200 OK", ""], true, false),
        (["HTTP/1.1 200 OK"], false, false),
        (["ICY 200 OK", ""], true, true),
        (["ICY 200 OK", "icy-name: R"], false, true),
        // One head after another: of a proxy, of a server that asks to go on, of redirects.
        (["HTTP/1.1 100 Continue", "", "HTTP/1.1 200 OK"], false, false),
        (["HTTP/1.0 200 Connection established", "", "ICY 200 OK", ""], true, true),
        (redirect + ["ICY 200 OK", ""], true, true),
        (redirect + redirect + ["ICY 200 OK"], false, true),
        (["ICY 200 OK", ""] + ["HTTP/1.1 200 OK", ""], true, false),
        // Trailers of a redirect's body.
        (redirect + ["X-Sum: 1", "ICY 200 OK", ""], true, true),
        (redirect + ["X-Sum: 1"], true, false),
        // Inside a head these are headers.
        (["HTTP/1.1 200 OK", "ICY 200 OK", ""], true, false),
        (["ICY 200 OK", "HTTP/1.1: yes", ""], true, true),
        (["ICYCLE: 1"], false, false),
    ])
    func headsBeginAndEnd(_ lines: [String], isComplete: Bool, isIcy: Bool) {
        let heads = heads(lines)
        #expect(heads.isComplete == isComplete && heads.isIcy == isIcy)
        #expect(heads.icyRefusal == nil)
    }

    @Test func aStationRefuses() {
        #expect(heads(["ICY 400 Server Full", ""]).icyRefusal == .stationFull)
        #expect(heads(Self.redirect + ["ICY 400 Server Full"]).icyRefusal == .stationFull)
        #expect(
            heads(["ICY 400 Server Full", ""] + ["HTTP/1.1 200 OK"]).icyRefusal == nil)
        #expect(heads(["HTTP/1.1 200 OK", "ICY 400 Server Full"]).icyRefusal == nil)
    }
}
