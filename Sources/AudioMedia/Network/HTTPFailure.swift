import CCurl
import Glibc
import SystemSupport

/// Why a transfer ended before its body did, and what that means for the song.
struct HTTPFailure: Equatable {
    /// What came back, in words.
    let reason: String
    /// What the user can do.
    let hint: String
    /// Whether asking again may help: at any time, only once some of the song has come, or never.
    let remedy: Remedy
    /// The wait that the server asked for, in seconds.
    var retryAfter = 0.0

    enum Remedy { case retry, retryOnceStarted, none }

    static let stalled = HTTPFailure(
        reason: "nothing came any more", hint: checkNetwork, remedy: .retry)
    static let broken = HTTPFailure(
        reason: "the connection broke", hint: checkNetwork, remedy: .retry)
    static let changed = HTTPFailure(
        reason: "the file on the server was changed meanwhile", hint: "play it again",
        remedy: .none)
    static let signedOff = HTTPFailure(
        reason: "the station ended the connection", hint: checkNetwork, remedy: .retry)
    static let anotherThanTheStation = HTTPFailure(
        reason: "what came is not the station", hint: "try again later", remedy: .retry)
    /// The server sent a part that does not hold our position; `isFinal` when the whole file had
    /// been asked for.
    static func anotherPart(isFinal: Bool) -> HTTPFailure {
        HTTPFailure(
            reason: "the server sent another part than was asked for", hint: "try again later",
            remedy: isFinal ? .none : .retry)
    }

    /// The server sends no part from our position on; the retry reads the song from its beginning.
    static let noParts = HTTPFailure(
        reason: "the server can give no part of it", hint: "try again later", remedy: .retry)

    static func packed(_ encoding: String) -> HTTPFailure {
        HTTPFailure(
            reason:
                "the server sent it packed (\(encoding.prefix(40))), which nobody had asked for",
            hint: "give the address of the MP3 itself", remedy: .none)
    }

    static func tooManyHeaders(_ limits: NetworkLimits) -> HTTPFailure {
        HTTPFailure(
            reason: "the server sent more than \(limits.head >> 10) KiB of headers",
            hint: "check the address", remedy: .none)
    }

    static func noConnection(_ limits: NetworkLimits) -> HTTPFailure {
        HTTPFailure(
            reason: "no connection within \(Int(limits.connect)) s", hint: checkNetwork,
            remedy: .retryOnceStarted)
    }

    static func noAnswer(_ limits: NetworkLimits) -> HTTPFailure {
        HTTPFailure(
            reason: "no whole answer within \(Int(limits.answer)) s", hint: checkNetwork,
            remedy: .retry)
    }

    private static let checkNetwork = "check the network"

    init(reason: String, hint: String, remedy: Remedy, retryAfter: Double = 0) {
        self.reason = reason
        self.hint = hint
        self.remedy = remedy
        self.retryAfter = retryAfter
    }

    /// Why a transfer failed; nil for one that ended well.
    init?(_ outcome: HTTPRequest.Outcome, limits: NetworkLimits) {
        let network = Self.checkNetwork
        switch outcome.code {
        case CURLE_OK: return nil
        case CURLE_HTTP_RETURNED_ERROR where outcome.status == 0,
            CURLE_RECV_ERROR where outcome.proxyStatus >= 300:
            self.init(status: outcome.proxyStatus, retryAfter: 0, answerer: "proxy")
        case CURLE_HTTP_RETURNED_ERROR:
            self.init(status: outcome.status, retryAfter: outcome.retryAfter)
        case CURLE_COULDNT_RESOLVE_HOST:
            self.init(
                reason: "no such host", hint: "check the address and the network",
                remedy: .retryOnceStarted)
        case CURLE_COULDNT_CONNECT:
            self.init(
                reason: outcome.systemError == 0
                    ? "no connection" : errorText(outcome.systemError).lowercased(),
                hint: "check the address, and that the server runs", remedy: .retryOnceStarted)
        case CURLE_COULDNT_RESOLVE_PROXY:
            self.init(
                reason: "no such proxy", hint: "check http_proxy and https_proxy",
                remedy: .retryOnceStarted)
        case CURLE_OPERATION_TIMEDOUT: self = .noConnection(limits)
        case CURLE_TOO_MANY_REDIRECTS:
            self.init(
                reason: "more than \(limits.redirects) redirects",
                hint: "give the address that it is to end at", remedy: .none)
        // libcurl takes an answer that is no HTTP for HTTP/0.9, which it does not support.
        case CURLE_UNSUPPORTED_PROTOCOL where outcome.status == 0, CURLE_WEIRD_SERVER_REPLY:
            self.init(
                reason: "what came back is no HTTP", hint: "check the address and its port",
                remedy: .retryOnceStarted)
        case CURLE_UNSUPPORTED_PROTOCOL:
            self.init(
                reason: "it redirects to what is neither http nor https",
                hint: "give the address of the MP3 itself", remedy: .none)
        case CURLE_URL_MALFORMAT:
            self.init(
                reason: "it is no valid address", hint: "check its spelling", remedy: .none)
        case CURLE_PEER_FAILED_VERIFICATION:
            self.init(certificateError: outcome.certificateError)
        case CURLE_SSL_CACERT_BADFILE:
            self.init(
                reason: "the certificates of the authorities cannot be read",
                hint: "name a PEM file in SSL_CERT_FILE, or install ca-certificates",
                remedy: .none)
        case CURLE_SSL_CONNECT_ERROR:
            self.init(
                reason: "no secure connection", hint: "check the address",
                remedy: .retryOnceStarted)
        case CURLE_PARTIAL_FILE, CURLE_RECV_ERROR, CURLE_SEND_ERROR, CURLE_GOT_NOTHING,
            CURLE_HTTP2, CURLE_HTTP2_STREAM:
            self = .broken
        // libcurl reports a header line of more than 100 KiB like this.
        case CURLE_OUT_OF_MEMORY: self = .tooManyHeaders(limits)
        default:
            self.init(
                reason: unsafe String(cString: curl_easy_strerror(outcome.code)).lowercased(),
                hint: network, remedy: .retryOnceStarted)
        }
    }

    /// An answer whose status says that it is no song.
    init(status: Int, retryAfter: Double, answerer: String = "server") {
        let words: [Int: String] = [
            400: "bad request", 401: "unauthorized", 403: "forbidden", 404: "not found",
            407: "proxy authentication required", 408: "request timeout", 410: "gone",
            416: "range not satisfiable", 429: "too many requests",
            500: "internal server error", 502: "bad gateway", 503: "service unavailable",
            504: "gateway timeout",
        ]
        let hints: [Int: String] = [
            401: "give name and password in the address, before its host: name:password@host",
            407: "give name and password in http_proxy and https_proxy",
            429: "try again later",
        ]
        let name = words[status].map { " \($0)" } ?? ""
        self.init(
            reason: "the \(answerer) answered \(status)\(name)",
            hint: hints[status] ?? (status >= 500 ? "try again later" : "check the address"),
            remedy: status >= 500 || [408, 429].contains(status) ? .retry : .none,
            retryAfter: retryAfter)
    }

    /// A certificate that OpenSSL (x509_vfy.h) or libcurl does not accept.
    private init(certificateError code: Int) {
        let authority = "name its authority's file in SSL_CERT_FILE, if you trust it"
        let (reason, hint) =
            switch code {
            // libcurl compares host names itself, and leaves the code at 0 or 1.
            case 0, 1, 62: ("is for another host", "check the address")
            case 9: ("is not valid yet", "check this computer's clock")
            case 10: ("has expired", "check this computer's clock, or tell the server's owner")
            case 18, 19: ("was signed by itself", authority)
            case 2, 20, 21: ("is of no authority known here", authority)
            default: ("is not trusted (OpenSSL's error \(code))", authority)
            }
        self.init(reason: "the server's certificate \(reason)", hint: hint, remedy: .none)
    }
}
