import Testing

@testable import JackIO

@Suite struct PortOrderTests {
    private func sorted(_ names: [String], orders: [String: Int] = [:]) -> [String] {
        PortOrder.sorted(names.map { JackPort(name: $0, order: orders[$0]) }).map(\.name)
    }

    @Test func numbersCountAsNumbers() {
        #expect(
            sorted(["s:out_10", "s:out_2", "s:out_1", "s:out_20"])
                == ["s:out_1", "s:out_2", "s:out_10", "s:out_20"])
        #expect(
            sorted(["s:in 2 of 10", "s:in 10 of 10", "s:in 2 of 9"])
                == ["s:in 2 of 9", "s:in 2 of 10", "s:in 10 of 10"])
        // A number with more digits than an Int holds.
        let long = "s:" + String(repeating: "9", count: 40)
        #expect(sorted([long, "s:1"]) == ["s:1", long])
    }

    @Test func placesComeBeforeNames() {
        #expect(
            sorted(
                ["s:out_1", "s:out_2", "s:out_3"],
                orders: ["s:out_3": -5, "s:out_2": 4, "s:out_1": 5])
                == ["s:out_3", "s:out_2", "s:out_1"])
    }

    /// Places of only some ports are ignored: a client of another server may have set them, for
    /// ports with the same numbers.
    @Test func placesOfSomePortsOnlyDoNotCount() {
        let ports = ["s:out_1", "s:out_2", "s:out_3"]
        #expect(sorted(ports, orders: ["s:out_3": 0, "s:out_2": 1]) == ports)
        #expect(sorted(ports, orders: ["s:out_3": 0, "s:out_2": 1, "s:out_1": 1]) == ports)
    }

    @Test func lettersStayAsTheServerHasThem() {
        let surround = ["p:playback_FL", "p:playback_FR", "p:playback_FC", "p:playback_LFE"]
        #expect(sorted(surround) == surround)
    }

    @Test func clientsStayAsTheServerHasThem() {
        #expect(
            sorted(["usb:out_2", "system:out_1", "usb:out_1"], orders: ["system:out_1": 0])
                == ["usb:out_1", "usb:out_2", "system:out_1"])
    }
}
