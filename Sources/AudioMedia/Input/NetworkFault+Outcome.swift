import CCurl
import Glibc
import SystemSupport

// What libcurl tells of a transfer that failed, and whether it is tried again.
extension NetworkFault {
    /// When asking again may help.
    enum Remedy {
        case retry
        /// Once some of the song has come.
        case retryOnceStarted
        case none
    }

    var remedy: Remedy {
        switch self {
        case .noSuchHost, .noSuchProxy, .notConnected, .noConnectionWithin, .noAnswerWithin,
            .noWholeAnswerWithin, .stalled, .broken, .signedOff, .notTheStation, .noPart,
            .stationFull, .notOnAir:
            .retry
        case .otherPart(let isFinal): isFinal ? .none : .retry
        case .status(let status, _, _):
            status >= 500 || status == 408 || status == 429 ? .retry : .none
        case .noSecureConnection, .notHTTP, .other: .retryOnceStarted
        case .authoritiesNotRead, .certificate, .invalidAddress, .tooManyRedirects,
            .redirectedElsewhere, .tooManyHeaders, .encoded, .changed:
            .none
        }
    }

    /// Whether no connection was made, because the name or the port leads nowhere: a typing mistake, or
    /// a server that is not started.
    var leadsNowhere: Bool {
        switch self {
        case .noSuchHost, .noSuchProxy, .notConnected: true
        default: false
        }
    }

    /// Whether the network or the server is at fault and not the song: it is waited for before the
    /// song's first byte, too, and tried again in a later round.
    public var isAbsence: Bool { remedy == .retry }

    /// Whether the server is there, and may send the same bytes in a moment: a seek waits for that.
    var isWaitedFor: Bool {
        switch self {
        case .noSuchHost, .noSuchProxy, .notConnected, .noConnectionWithin: false
        default: remedy == .retry
        }
    }

    /// The seconds that the server asked to wait before the next attempt; 0 for none.
    var retryAfter: Double { if case .status(_, _, let wait) = self { wait } else { 0 } }

    static func noConnection(_ limits: NetworkLimits) -> NetworkFault {
        .noConnectionWithin(Int(limits.connect))
    }

    static func noAnswer(_ limits: NetworkLimits) -> NetworkFault {
        .noAnswerWithin(Int(limits.answer))
    }

    static func tooManyHeaders(_ limits: NetworkLimits) -> NetworkFault {
        .tooManyHeaders(kibibytes: limits.head >> 10)
    }

    /// Why a station refuses, by the first line of its answer, as `ICY 400 Server Full`; nil for
    /// one that sends. The words count more than the number: SHOUTcast's 401 says that no source is
    /// connected.
    init?(icyLine line: String) {
        let words = line.lowercased().dropFirst("icy ".count)
        guard let status = wholeNumber(words.prefix { $0.isNumber }), !(200..<300).contains(status)
        else { return nil }
        if words.contains("full") {
            self = .stationFull
        } else if words.contains("unavailable") {
            self = .notOnAir
        } else {
            self = .status(Int(min(status, 999)))
        }
    }

    /// Why a transfer failed; nil for one that ended well.
    init?(_ outcome: HTTPRequest.Outcome, limits: NetworkLimits) {
        switch outcome.code {
        case CURLE_OK: return nil
        case CURLE_BAD_CONTENT_ENCODING where outcome.encoding != nil,
            CURLE_WRITE_ERROR where outcome.encoding != nil:
            self = .encoded(String((outcome.encoding ?? "").prefix(40)))
        case CURLE_HTTP_RETURNED_ERROR where outcome.status == 0,
            CURLE_RECV_ERROR where outcome.proxyStatus >= 300:
            self = .status(outcome.proxyStatus, isProxys: true)
        case CURLE_HTTP_RETURNED_ERROR:
            self = .status(outcome.status, wait: outcome.retryAfter)
        case CURLE_COULDNT_RESOLVE_HOST: self = .noSuchHost
        case CURLE_COULDNT_CONNECT:
            self = .notConnected(
                to: outcome.place,
                reason: outcome.systemError == 0
                    ? nil : errorText(outcome.systemError).lowercased())
        case CURLE_COULDNT_RESOLVE_PROXY: self = .noSuchProxy
        case CURLE_OPERATION_TIMEDOUT: self = .noConnection(limits)
        // A server that refuses each password as stale.
        case CURLE_TOO_MANY_REDIRECTS where outcome.isChallenge: self = .status(outcome.status)
        case CURLE_TOO_MANY_REDIRECTS: self = .tooManyRedirects(limits.redirects)
        // libcurl takes an answer that is no HTTP for HTTP/0.9, which it does not support.
        case CURLE_UNSUPPORTED_PROTOCOL where outcome.status == 0, CURLE_WEIRD_SERVER_REPLY:
            self = .notHTTP
        case CURLE_UNSUPPORTED_PROTOCOL: self = .redirectedElsewhere
        case CURLE_URL_MALFORMAT: self = .invalidAddress
        case CURLE_PEER_FAILED_VERIFICATION:
            self = .certificate(CertificateFault(outcome.certificateError))
        case CURLE_SSL_CACERT_BADFILE: self = .authoritiesNotRead
        case CURLE_SSL_CONNECT_ERROR: self = .noSecureConnection
        case CURLE_PARTIAL_FILE, CURLE_RECV_ERROR, CURLE_SEND_ERROR, CURLE_GOT_NOTHING,
            CURLE_HTTP2, CURLE_HTTP2_STREAM:
            self = .broken
        // libcurl reports a header line of more than 100 KiB like this.
        case CURLE_OUT_OF_MEMORY: self = .tooManyHeaders(limits)
        default:
            self = unsafe .other(String(cString: curl_easy_strerror(outcome.code)).lowercased())
        }
    }
}

extension NetworkFault.CertificateFault {
    /// What OpenSSL (x509_vfy.h) or libcurl does not accept.
    fileprivate init(_ code: Int) {
        self =
            switch code {
            // libcurl compares host names itself, and leaves the code at 0 or 1.
            case 0, 1, 62: .otherHost
            case 9: .notYetValid
            case 10: .expired
            case 18, 19: .selfSigned
            case 2, 20, 21: .unknownAuthority
            default: .other(code)
            }
    }
}
