import Glibc

/// Which ports one side of the client is connected to.
public enum PortSelection: Sendable, Hashable {
    /// Physical audio ports.
    case automatic
    /// No ports: the user makes the connections.
    case none
    /// The first port that matches for the first channel, the second for the second, and so on; a
    /// channel without a match of its own takes the first one.
    case one(PortPattern)
    /// The first match of each pattern for its own channel; a channel without a pattern has no port.
    /// A mono microphone takes the first port that matches the first of the patterns with a match.
    case each([PortPattern])

    /// Reads the user's patterns: no text means `automatic`, the text `none` means `none`, several
    /// texts mean `each`.
    public init(patterns texts: [String]) throws(PortPattern.Failure) {
        if texts.contains("none") {
            self = .none
        } else if texts.isEmpty {
            self = .automatic
        } else if texts.count == 1 {
            self = .one(try PortPattern(pattern: texts[0]))
        } else {
            var patterns: [PortPattern] = []
            for text in texts { patterns.append(try PortPattern(pattern: text)) }
            self = .each(patterns)
        }
    }

    /// The name of the port for each of `channelCount` channels; nil for a channel without a port.
    ///
    /// - Parameters:
    ///   - ports: the ports to choose from, in the server's order.
    ///   - isMicrophone: whether the ports give sound. All channels of a microphone take a single
    ///     port, as with a pattern; outputs need ports of one client.
    func choose(from ports: [JackPort], channelCount: Int, isMicrophone: Bool) -> [String?] {
        let nothing = [String?](repeating: nil, count: channelCount)
        switch self {
        case .none: return nothing
        case .automatic:
            let physical = ports.filter { $0.isPhysical && $0.suits(microphone: isMicrophone) }
            if let own = Self.ports(channelCount, ofOneClientIn: physical) {
                return own.map(\.name)
            }
            guard isMicrophone, let first = physical.first else { return nothing }
            return [String?](repeating: first.name, count: channelCount)
        case .one(let pattern):
            let found = pattern.matches(in: ports)
            return (0..<channelCount).map { (found.dropFirst($0).first ?? found.first)?.name }
        case .each(let patterns):
            let found = patterns.map { $0.matches(in: ports).first?.name }
            guard channelCount > 1 else { return [found.compactMap { $0 }.first] }
            return Array((found + nothing).prefix(channelCount))
        }
    }

    /// The first ports of the first client that has `count` of them; nil: none has.
    private static func ports(
        _ count: Int, ofOneClientIn ports: [JackPort]
    ) -> ArraySlice<JackPort>? {
        ports.lazy.map { port in ports.filter { $0.client == port.client } }
            .first { $0.count >= count }?.prefix(count)
    }
}

extension JackPort {
    /// Whether the port may be a microphone or, for a port that takes sound, a loudspeaker. Some
    /// ports of PipeWire are neither: a sink repeats what it plays at `monitor_FL`, and a source
    /// without hardware takes its sound at `input_FL`, a port that PipeWire calls physical.
    func suits(microphone isMicrophone: Bool) -> Bool {
        let part = name.dropFirst(client.count + 1)
        return !part.hasPrefix("monitor") && (isMicrophone || !part.hasPrefix("input_"))
    }
}

/// A pattern by which a user chooses ports: a POSIX extended regular expression, unanchored, tried
/// on a port's full name and its aliases.
public struct PortPattern: Sendable, Hashable, LosslessStringConvertible {
    /// Why a text is not a valid pattern.
    public enum Failure: Error, Equatable, CustomStringConvertible {
        /// regcomp(3) does not take `pattern`, for `reason`.
        case invalid(pattern: String, reason: String)

        public var description: String {
            switch self {
            case .invalid(let pattern, let reason):
                "'\(pattern)' is not a port pattern: \(reason); "
                    + "use a POSIX extended regular expression, like 'system:capture_[12]'"
            }
        }
    }

    /// The pattern as the user wrote it.
    public let text: String

    /// Makes a pattern of `text`; throws when regcomp(3) refuses it.
    public init(pattern text: String) throws(Failure) {
        var expression = unsafe regex_t()
        let code = unsafe regcomp(&expression, text, REG_EXTENDED | REG_NOSUB)
        guard code == 0 else {
            let size = unsafe regerror(code, &expression, nil, 0)
            let reason = unsafe String(unsafeUninitializedCapacity: size) { buffer in
                unsafe buffer.withMemoryRebound(to: CChar.self) {
                    unsafe regerror(code, &expression, $0.baseAddress, $0.count)
                } - 1
            }
            throw .invalid(pattern: text, reason: reason)
        }
        unsafe regfree(&expression)
        self.text = text
    }

    /// As `init(pattern:)`; nil where that throws.
    public init?(_ text: String) {
        do throws(Failure) { try self.init(pattern: text) } catch { return nil }
    }

    public var description: String { text }

    /// The ports that match, in their order: in exactly these capital letters, or, if none does, in
    /// others.
    public func matches(in ports: [JackPort]) -> [JackPort] {
        let exact = matches(in: ports, flags: 0)
        return exact.isEmpty ? matches(in: ports, flags: REG_ICASE) : exact
    }

    private func matches(in ports: [JackPort], flags: Int32) -> [JackPort] {
        var expression = unsafe regex_t()
        // regcomp took the text before, so it can only fail for lack of memory: then no match.
        guard unsafe regcomp(&expression, text, REG_EXTENDED | REG_NOSUB | flags) == 0 else {
            return []
        }
        defer { unsafe regfree(&expression) }
        return ports.filter { port in
            ([port.name] + port.aliases).contains { name in
                unsafe regexec(&expression, name, 0, nil, 0) == 0
            }
        }
    }
}
