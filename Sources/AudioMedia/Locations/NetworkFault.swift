/// Why a transfer ended before its body did. Times in seconds.
public enum NetworkFault: Sendable, Equatable, CustomStringConvertible {
    // MARK: The connection

    case noSuchHost
    case noSuchProxy
    /// `to`: the host and port, as `host:80`; nil where a proxy may stand between. `reason` is the
    /// system's; nil where it gives none.
    case notConnected(to: String? = nil, reason: String?)
    case noConnectionWithin(Int)
    /// The answer's first byte did not come.
    case noAnswerWithin(Int)
    /// The answer's last byte did not come, where all of it is waited for.
    case noWholeAnswerWithin(Int)
    /// The connection is open, and no more data came.
    case stalled
    case broken
    /// The station ended the connection.
    case signedOff
    case noSecureConnection
    /// The file with the certificates of the authorities cannot be read.
    case authoritiesNotRead
    case certificate(CertificateFault)
    /// Another error of libcurl's, in its words.
    case other(String)

    // MARK: The answer

    /// A status that is no success. `wait`: after so many seconds the server wants to be asked
    /// again; 0: it says nothing of that.
    case status(Int, isProxys: Bool = false, wait: Double = 0)
    case notHTTP
    case invalidAddress
    case tooManyRedirects(Int)
    /// A redirect to what is neither `http` nor `https`.
    case redirectedElsewhere
    case tooManyHeaders(kibibytes: Int)
    /// The body is compressed, which was not asked for, and cannot be unpacked.
    case encoded(String)
    /// The file on the server is another one now.
    case changed
    /// What came is not the station.
    case notTheStation
    /// As many listen to the station as it can serve.
    case stationFull
    /// Nobody sends on the station now.
    case notOnAir
    /// Another part than was asked for; `isFinal`: the whole file had been asked for.
    case otherPart(isFinal: Bool)
    /// No part from our position on; the next attempt reads the song from its beginning.
    case noPart

    /// Why a server's certificate is not accepted.
    public enum CertificateFault: Sendable, Equatable {
        case otherHost, notYetValid, expired, selfSigned, unknownAuthority
        /// OpenSSL's error (x509_vfy.h).
        case other(Int)
    }

    /// What came back, in words.
    public var description: String {
        switch self {
        case .noSuchHost: "no such host"
        case .noSuchProxy: "no such proxy"
        case .notConnected(let place, let reason):
            (place.map { "\($0): " } ?? "") + (reason ?? "no connection")
        case .noConnectionWithin(let seconds): "no connection within \(seconds) s"
        case .noAnswerWithin(let seconds): "no answer within \(seconds) s"
        case .noWholeAnswerWithin(let seconds): "no whole answer within \(seconds) s"
        case .stalled: "no more data came"
        case .broken: "the connection broke"
        case .signedOff: "the station ended the connection"
        case .noSecureConnection: "no secure connection"
        case .authoritiesNotRead: "the certificates of the authorities cannot be read"
        case .certificate(let fault): "the server's certificate \(Self.words(fault))"
        case .other(let text): text
        case .status(let status, let isProxys, _):
            "the \(isProxys ? "proxy" : "server") answered \(status)\(Self.words(status))"
        case .notHTTP: "the answer is not HTTP"
        case .invalidAddress: "not a valid address"
        case .tooManyRedirects(let limit): "more than \(limit) redirects"
        case .redirectedElsewhere: "it redirects to an address that is not http or https"
        case .tooManyHeaders(let limit): "the server sent more than \(limit) KiB of headers"
        case .encoded(let encoding):
            "the server sent it packed (\(encoding)), and it cannot be unpacked"
        case .changed: "the file on the server has changed"
        case .notTheStation: "what came is not the station"
        case .stationFull: "the station is full"
        case .notOnAir: "the station is not on the air"
        case .otherPart: "the server sent a different part than requested"
        case .noPart: "the server cannot send parts of it"
        }
    }

    private static func words(_ fault: CertificateFault) -> String {
        switch fault {
        case .otherHost: "is for another host"
        case .notYetValid: "is not valid yet"
        case .expired: "has expired"
        case .selfSigned: "is self-signed"
        case .unknownAuthority: "is not from a known authority"
        case .other(let code): "is not trusted (OpenSSL's error \(code))"
        }
    }

    /// The name of an HTTP status (RFC 9110, 15), after a space.
    private static func words(_ status: Int) -> String {
        switch status {
        case 400: " bad request"
        case 401: " unauthorized"
        case 403: " forbidden"
        case 404: " not found"
        case 407: " proxy authentication required"
        case 408: " request timeout"
        case 410: " gone"
        case 416: " range not satisfiable"
        case 429: " too many requests"
        case 500: " internal server error"
        case 502: " bad gateway"
        case 503: " service unavailable"
        case 504: " gateway timeout"
        default: ""
        }
    }
}
