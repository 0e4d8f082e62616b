import AudioMedia
import Testing

@testable import DuetApp

/// How runs are found, and songs numbered that are added to them.
@Suite struct RunningPlaceTests {
    @Test func placesAreNamedByClients() throws {
        let folder: FileName = "/run/user/1000/duet"
        for name in ["duet", "a-b 世", "with/slash", String(repeating: "x", count: 300)] {
            let place = try #require(RunningPlace(folder: folder, client: name, process: 77))
            #expect(place.path.bytes.count <= 107 && place.isOf(client: name))
            #expect(!place.isOf(client: "other"))
            #expect(!place.client.contains("/"))
        }
        let long = FileName("/" + String(repeating: "x", count: 100))
        #expect(RunningPlace(folder: long, client: "duet", process: 77) == nil)
    }

    /// Songs that come next are put behind each other from the last to the first.
    @Test func numbersInAList() {
        var numbers = ListNumbers()
        for (index, number) in [(2, 4), (1, 2), (0, 2)] { numbers.add(index, at: number) }
        #expect(numbers.inOrder.map(\.index) == [0, 1, 2])
        #expect(numbers.inOrder.map(\.number) == [2, 3, 6])
    }
}
