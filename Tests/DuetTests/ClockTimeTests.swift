import Testing

@testable import DuetApp

@Suite struct ClockTimeTests {
    @Test(arguments: [
        ("0", 0.0), ("90", 90), ("90.5", 90.5), ("1:30", 90), ("0:01:30", 90), ("10:00", 600),
        ("1:02:03.25", 3723.25), ("120:00", 7200), ("31536000", 31_536_000),
        ("8760:00:00", 31_536_000),
    ])
    func reads(text: String, seconds: Double) {
        #expect(ClockTime(text)?.seconds == seconds)
    }

    @Test(arguments: [
        "", ":", "1:", ":30", "1:3", "1:60", "1:030", "-1", "+1", "1e3", "1:2:3:4", "1.5:00", "1.",
        ".5", "0x10", "nan", "inf", "1 30", "٣", "9999999999", "1:30s", "1e300", "31536001",
        "8760:00:01", "999999999:00:00", "9223372036854775808",
    ])
    func refuses(text: String) {
        #expect(ClockTime(text) == nil)
    }

    @Test(arguments: [
        (0.0, "0:00"), (9.99, "0:09"), (90, "1:30"), (3599, "59:59"), (3600, "1:00:00"),
        (86_399, "23:59:59"),
    ])
    func writes(seconds: Double, text: String) {
        #expect(ClockTime(seconds: seconds).description == text)
    }

    @Test func takesAnyNumber() {
        for seconds in [-1, .nan, .infinity, 1e300] {
            let time = ClockTime(seconds: seconds)
            #expect(!time.description.isEmpty && (0...31_536_000).contains(time.seconds))
        }
    }
}
