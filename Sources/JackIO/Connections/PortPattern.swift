import Glibc

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

    /// The ports that match, in their order.
    public func matches(in ports: [JackPort]) -> [JackPort] {
        var expression = unsafe regex_t()
        // regcomp took the text before, so it can only fail for lack of memory: then no match.
        guard unsafe regcomp(&expression, text, REG_EXTENDED | REG_NOSUB) == 0 else { return [] }
        defer { unsafe regfree(&expression) }
        return ports.filter { port in
            ([port.name] + port.aliases).contains { name in
                unsafe regexec(&expression, name, 0, nil, 0) == 0
            }
        }
    }
}
