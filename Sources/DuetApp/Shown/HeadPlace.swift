import AudioGraph

/// A place around the head in words.
enum HeadPlace {
    /// - Parameters:
    ///   - azimuth: in degrees, positive to the right.
    ///   - elevation: in degrees, positive upwards.
    ///   - distance: in metres.
    /// - Returns: such as `45° left 20° up 2 m`; what is 0, and 1 m, is left out.
    static func text(azimuth: Double, elevation: Double, distance: Double) -> String {
        func degrees(_ value: Double, _ negative: String, _ positive: String) -> String? {
            let size = fixed(value.magnitude, digits: 0)
            return size == "0" ? nil : "\(size)° \(value < 0 ? negative : positive)"
        }
        let side = degrees(azimuth, "left", "right") ?? "in front"
        let metres = fixed(
            distance, digits: distance < 10 && distance != distance.rounded() ? 1 : 0)
        return [
            side, degrees(elevation, "down", "up"), distance == 1 ? nil : "\(metres) m",
        ].compactMap { $0 }.joined(separator: " ")
    }
}

extension MixPlan {
    /// The place of a bus around the head, in words; nil if it has none.
    func place(ofBus name: String) -> String? {
        func value(_ ending: String) -> Double? {
            vocabulary.parameter("/\(name)/\(ending)").map { self[$0] }
        }
        guard let azimuth = value("azimuth"), azimuth != ValueKind.off else { return nil }
        return HeadPlace.text(
            azimuth: azimuth, elevation: value("elevation") ?? 0, distance: value("distance") ?? 1)
    }
}
