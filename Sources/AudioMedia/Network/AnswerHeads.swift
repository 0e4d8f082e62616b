/// Tells where the heads of a transfer's answers begin and end, and which of them are a station's.
///
/// A transfer brings one head after the other: of a proxy, of redirects, of the answer itself. Between
/// two of them may be the trailers of a redirect's body.
struct AnswerHeads {
    private enum Place {
        /// No head has begun, or the last one is complete.
        case between
        /// In a head, behind its first line.
        case inside
    }
    private var place = Place.between
    /// Whether the present head is complete.
    private(set) var isComplete = false
    /// Whether the present head's first line says `ICY` instead of `HTTP`.
    private(set) var isIcy = false
    /// Why a station refuses, where the present head is such a refusal.
    private(set) var icyRefusal: NetworkFault?

    /// Notes a header line.
    mutating func note(_ line: some Collection<UInt8>) {
        switch place {
        case .between:
            let isIcy = line.starts(with: "ICY ".utf8)
            guard isIcy || line.starts(with: "HTTP/".utf8) else { return }
            (place, isComplete, self.isIcy) = (.inside, false, isIcy)
            icyRefusal =
                isIcy ? NetworkFault(icyLine: String(decoding: line, as: UTF8.self)) : nil
        case .inside:
            if line.first == 13 || line.first == 10 { (place, isComplete) = (.between, true) }
        }
    }
}
