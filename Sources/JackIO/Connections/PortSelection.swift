/// Which ports one side of the client is connected to.
public enum PortSelection: Sendable, Hashable {
    /// Physical audio ports.
    case automatic
    /// Nothing; the user patches.
    case none
    /// The first port that matches for the first channel and the second for the second; a single
    /// match serves both.
    case one(PortPattern)
    /// The first match of each for its own channel. A mono microphone takes the first port that
    /// matches either.
    case two(PortPattern, PortPattern)

    /// Reads what a user wrote: nothing means `automatic`, `none` means `none`.
    ///
    /// - Parameter texts: at most two patterns; more are not looked at.
    public init(patterns texts: [String]) throws(PortPattern.Failure) {
        if texts.contains("none") {
            self = .none
        } else if texts.isEmpty {
            self = .automatic
        } else if texts.count == 1 {
            self = .one(try PortPattern(pattern: texts[0]))
        } else {
            self = .two(try PortPattern(pattern: texts[0]), try PortPattern(pattern: texts[1]))
        }
    }

    /// The names to connect each of `channelCount` (1 or 2) channels to; nil for a channel that
    /// finds nothing.
    ///
    /// - Parameters:
    ///   - ports: what there is, in the server's order.
    ///   - isMicrophone: whether the ports give sound. A stereo microphone takes a single port
    ///     twice, as patterns do; outputs need a pair of one client.
    func choose(from ports: [JackPort], channelCount: Int, isMicrophone: Bool) -> [String?] {
        let nothing = [String?](repeating: nil, count: channelCount)
        switch self {
        case .none: return nothing
        case .automatic:
            let physical = ports.filter { $0.isPhysical && $0.suits(microphone: isMicrophone) }
            let pair = Self.firstPair(of: physical).map(\.name)
            if channelCount == 2 && pair.count == 2 { return pair }
            guard isMicrophone, let first = physical.first else { return nothing }
            return [String?](repeating: first.name, count: channelCount)
        case .one(let pattern):
            let found = pattern.matches(in: ports)
            guard let first = found.first else { return nothing }
            return channelCount == 1
                ? [first.name] : [first.name, (found.dropFirst().first ?? first).name]
        case .two(let first, let second):
            let left = first.matches(in: ports).first?.name
            let right = second.matches(in: ports).first?.name
            return channelCount == 1 ? [left ?? right] : [left, right]
        }
    }

    private static func firstPair(of ports: [JackPort]) -> [JackPort] {
        for port in ports {
            let own = ports.filter { $0.client == port.client }
            if own.count >= 2 { return Array(own.prefix(2)) }
        }
        return []
    }
}

extension JackPort {
    /// Whether it may be a microphone, or, of ports that take sound, be heard. PipeWire's nodes
    /// have ports of the other kind, too: a sink repeats what it plays (`monitor_FL`), a source
    /// that is no hardware takes what it gives on (`input_FL`), and calls that port physical.
    func suits(microphone isMicrophone: Bool) -> Bool {
        let part = name.dropFirst(client.count + 1)
        return !part.hasPrefix("monitor") && (isMicrophone || !part.hasPrefix("input_"))
    }
}
