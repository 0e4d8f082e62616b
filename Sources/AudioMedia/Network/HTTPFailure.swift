import CCurl
import Glibc

/// Why a transfer ended before its body did, and what that means for the song.
struct HTTPFailure: Equatable {
    /// What came back, in words.
    let reason: String
    /// What the user can do.
    let hint: String
    /// Whether asking again may help: at any time, only once some of it has come, or never.
    let remedy: Remedy
    /// What the server asked to wait, in seconds.
    var retryAfter = 0.0

    enum Remedy { case retry, retryOnceStarted, none }

    static let stalled = HTTPFailure(
        reason: "nothing came any more", hint: checkNetwork, remedy: .retry)
    static let changed = HTTPFailure(
        reason: "the file on the server was changed meanwhile", hint: "play it again",
        remedy: .none)

    private static let checkNetwork = "check the network"

    init(reason: String, hint: String, remedy: Remedy, retryAfter: Double = 0) {
        self.reason = reason
        self.hint = hint
        self.remedy = remedy
        self.retryAfter = retryAfter
    }

    /// What the end of a transfer says; nil for a good one.
    init?(_ outcome: HTTPRequest.Outcome, limits: NetworkLimits) {
        let network = Self.checkNetwork
        switch outcome.code {
        case CURLE_OK: return nil
        case CURLE_HTTP_RETURNED_ERROR:
            self.init(status: outcome.status, retryAfter: outcome.retryAfter)
        case CURLE_COULDNT_RESOLVE_HOST:
            self.init(
                reason: "no such host", hint: "check the address and the network",
                remedy: .retryOnceStarted)
        case CURLE_COULDNT_CONNECT:
            self.init(
                reason: outcome.systemError == 0
                    ? "no connection" : systemText(outcome.systemError).lowercased(),
                hint: "check the address, and that the server runs", remedy: .retryOnceStarted)
        case CURLE_OPERATION_TIMEDOUT:
            self.init(
                reason: "no connection within \(Int(limits.connect)) s", hint: network,
                remedy: .retryOnceStarted)
        case CURLE_TOO_MANY_REDIRECTS:
            self.init(
                reason: "more than \(limits.redirects) redirects",
                hint: "give the address that it is to end at", remedy: .none)
        case CURLE_UNSUPPORTED_PROTOCOL:
            self.init(
                reason: "it redirects to what is neither http nor https",
                hint: "give the address of the MP3 itself", remedy: .none)
        case CURLE_URL_MALFORMAT:
            self.init(
                reason: "it is no valid address", hint: "check its spelling", remedy: .none)
        case CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CACERT_BADFILE:
            self.init(
                reason: "the server's certificate is not trusted",
                hint: "name the right authority's file in SSL_CERT_FILE", remedy: .none)
        case CURLE_SSL_CONNECT_ERROR:
            self.init(
                reason: "no secure connection", hint: "check the address",
                remedy: .retryOnceStarted)
        case CURLE_PARTIAL_FILE, CURLE_RECV_ERROR, CURLE_SEND_ERROR, CURLE_GOT_NOTHING,
            CURLE_HTTP2, CURLE_HTTP2_STREAM:
            self.init(reason: "the connection broke", hint: network, remedy: .retry)
        default:
            self.init(
                reason: unsafe String(cString: curl_easy_strerror(outcome.code)).lowercased(),
                hint: network, remedy: .retryOnceStarted)
        }
    }

    /// A response that is no song.
    init(status: Int, retryAfter: Double) {
        let words: [Int: String] = [
            400: "bad request", 401: "unauthorized", 403: "forbidden", 404: "not found",
            408: "request timeout", 410: "gone", 416: "range not satisfiable",
            429: "too many requests", 500: "internal server error", 502: "bad gateway",
            503: "service unavailable", 504: "gateway timeout",
        ]
        let name = words[status].map { " \($0)" } ?? ""
        self.init(
            reason: "the server answered \(status)\(name)",
            hint: status >= 500 || status == 429
                ? "try again later" : "check the address",
            remedy: status >= 500 || status == 408 || status == 429 ? .retry : .none,
            retryAfter: retryAfter)
    }
}
