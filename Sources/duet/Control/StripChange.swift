import AudioGraph

/// A change of one bus that an action asked for: what to report and what to show.
struct StripChange: Sendable, Equatable {
    /// 0 or 1.
    var bus: Int
    /// As `/song/volume`.
    var address: String
    /// Linear gain, pan position, or whether it is muted.
    var value: JSONValue
    /// As `song volume -3.0 dB`.
    var note: String
}

extension MixSettings {
    /// Changes the buses as `action` asks. Returns the changes: none when the action is not about
    /// buses, or about a bus that is not there.
    mutating func apply(_ action: Action) -> [StripChange] {
        switch action {
        case .toggleMute(let role):
            change(role, "mute") { strip in
                strip.isMuted.toggle()
                return (.boolean(strip.isMuted), strip.isMuted ? "off" : "on")
            }
        case .changeVolume(let role, let decibels):
            change(role, "volume") { strip in
                strip.volume = strip.volume.stepped(by: decibels)
                return (.number(strip.volume.gain), "volume \(strip.volume)")
            }
        case .changePan(let role, let step):
            change(role, "pan") { strip in
                // To hundredths: ten steps of a tenth are one whole.
                let position = ((strip.pan.position + step) * 100).rounded() / 100
                strip.pan = Pan(position)
                return (.number(strip.pan.position), "pan \(strip.pan)")
            }
        case .swapSides: swapSides()
        case .togglePause, .quit, .seek, .nextSong, .previousSong, .help: []
        }
    }

    private mutating func swapSides() -> [StripChange] {
        let areCentred = strips.allSatisfy { $0.pan == .centre }
        return [Action.BusRole.first, .second].flatMap { role in
            change(role, "pan") { strip in
                strip.pan = strip.pan.mirrored
                return (.number(strip.pan.position), "")
            }
        }.map { change in
            var change = change
            change.note = areCentred ? "no sides to swap: all is in the centre" : "sides swapped"
            return change
        }
    }

    private mutating func change(
        _ role: Action.BusRole, _ parameter: String,
        _ body: (inout Strip) -> (value: JSONValue, note: String)
    ) -> [StripChange] {
        guard let name = name(of: role) else { return [] }
        let bus = role == .first ? 0 : 1
        let (value, note) = body(&strips[bus])
        return [
            StripChange(
                bus: bus, address: "/\(name)/\(parameter)", value: value, note: "\(name) \(note)")
        ]
    }
}

extension Volume {
    /// The volume `decibels` louder or softer. Below −60 dB lies silence, and the first step up
    /// from there is −60 dB.
    func stepped(by decibels: Double) -> Volume {
        let lowest = -60.0
        guard gain > 0 else { return decibels > 0 ? Volume(Decibels(lowest)) : self }
        // To hundredths: many steps up and as many down end where they began.
        let stepped = ((self.decibels.value + decibels) * 100).rounded() / 100
        if stepped < lowest { return decibels < 0 ? .silent : Volume(Decibels(lowest)) }
        return stepped == 0 ? .unity : Volume(Decibels(stepped))
    }
}
