import AudioGraph

extension MixPlan {
    /// The values of `target`, a plan of the same mix, but for those that would let more of a
    /// microphone through than now, raise the ceiling, or take away a protection. These stay as they
    /// are: a key that resets everything must not hurt.
    func safelyChanged(to target: MixPlan) -> MixPlan {
        let vocabulary = vocabulary
        var new = target
        /// Leaves the values at `addresses` as they are if the risk would grow.
        func keep(_ addresses: [String], ifRaising risk: ((String) -> Double) -> Double) {
            func value(in mix: MixPlan) -> (String) -> Double {
                { address in vocabulary.parameter(address).map { mix[$0] } ?? 0 }
            }
            guard risk(value(in: new)) > risk(value(in: self)) else { return }
            for address in addresses {
                if let parameter = vocabulary.parameter(address) {
                    new[parameter] = self[parameter]
                }
            }
        }
        func keep(_ address: String) { keep([address]) { value in value(address) } }
        keep("/out/limiter/ceiling")
        keep("/out/limiter/bypass")
        guard !microphones.isEmpty else { return new }
        keep("/out/volume")
        keep(["/out/pan-law"]) { value in
            let law = PanLaw.allCases[Int(value("/out/pan-law"))]
            let matrix = law.matrix(volume: .unity, pan: .centre, channelCount: 1)
            return Double(matrix.leftFromLeft)
        }
        let solos = buses.map { "/\($0)/solo" }
        for name in second.names {
            let strip = "/\(name)"
            keep(strip + "/volume")
            keep(strip + "/feedback-guard/bypass")
            keep([strip + "/mute"]) { value in -value(strip + "/mute") }
            // While another strip is solo the microphone is not heard.
            keep(solos) { value in
                value(strip + "/solo") == 1 || solos.allSatisfy { value($0) == 0 } ? 1 : 0
            }
            keep(["azimuth", "elevation", "distance"].map { "\(strip)/\($0)" }) { value in
                value(strip + "/azimuth") == ValueKind.off ? 1 : 1 / value(strip + "/distance")
            }
            let processing = strip + "/voice-processing"
            keep([processing, processing + "/gain-control"]) { value in
                value(processing) * value(processing + "/gain-control")
            }
        }
        return new
    }

    /// The parameters that have another value in `other`, in few words for people; nil: none has.
    /// What a preset sets is not named where the preset is.
    func differences(from other: MixPlan) -> String? {
        let changed = vocabulary.parameters.filter { self[$0] != other[$0] }
        let presets = changed.compactMap { parameter in
            if case .preset(let preset) = parameter.unit { preset } else { nil }
        }
        let named = changed.filter { parameter in
            !presets.contains { $0.sets(parameter.address) }
        }
        guard named.count <= 3 else { return "\(named.count) values" }
        let names = named.map { $0.address.split(separator: "/").joined(separator: " ") }
        return names.isEmpty ? nil : names.joined(separator: ", ")
    }
}
