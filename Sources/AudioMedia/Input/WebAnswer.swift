import CCurl
import Glibc
import SystemSupport

/// The answer of a web server to one question, whatever its status. A song is read by `HTTPSource` instead,
/// which retries and resumes.
package struct WebAnswer: Sendable, Equatable {
    package let status: Int
    package let body: [UInt8]
    /// Seconds after which the server wants to be asked again; 0 if it does not say.
    package var retryAfter = 0.0

    package init(status: Int, body: [UInt8], retryAfter: Double = 0) {
        (self.status, self.body, self.retryAfter) = (status, body, retryAfter)
    }

    /// Why there is no answer.
    package enum Failure: Error, Sendable, Equatable {
        /// For people: `Couldn't resolve host name`.
        case unreachable(String)
        case tooLarge
        case tooSlow
        /// The server sends whoever asks to another one, which was not asked.
        case otherServer(String)
        case cancelled
    }

    /// How much is waited for and read.
    package struct Limits: Sendable {
        /// Seconds for the whole answer, and for a connection.
        package var (whole, connection) = (10.0, 5.0)
        /// Most bytes of a body.
        package var size = 1 << 20
        /// Most redirects; all of them to the same server.
        package var redirects = 3
        package init() {}
    }

    /// Asks for `address`, an http or https URL. Blocks until the answer is whole, for `limits.whole` seconds
    /// at most.
    ///
    /// - Parameters:
    ///   - agent: who asks, as the server is told.
    ///   - limits: how much is waited for and read.
    ///   - isCancelled: asked ten times a second; true gives up.
    package static func get(
        _ address: String, agent: String, limits: Limits = Limits(),
        unless isCancelled: () -> Bool = { false }
    ) throws(Failure) -> WebAnswer {
        HTTPRequest.prepareLibrary()
        guard let easy = unsafe curl_easy_init() else {
            throw .unreachable(
                unsafe ccurl_failure().map { unsafe String(cString: $0) } ?? "no memory")
        }
        defer { unsafe curl_easy_cleanup(easy) }
        guard let multi = unsafe curl_multi_init() else { throw .unreachable("no memory") }
        defer { unsafe curl_multi_cleanup(multi) }
        let end = monotonicSeconds() + limits.whole
        let body = Body(limit: limits.size)
        unsafe prepare(easy, agent, limits)
        unsafe ccurl_set_pointer(
            easy, CURLOPT_WRITEDATA, Unmanaged.passUnretained(body).toOpaque())
        // Until the transfer has let go of it.
        defer { withExtendedLifetime(body) {} }
        var address = address
        for _ in 0...limits.redirects {
            body.bytes = []
            unsafe ccurl_set_string(easy, CURLOPT_URL, address)
            guard unsafe curl_multi_add_handle(multi, easy) == CURLM_OK else {
                throw .unreachable("no memory")
            }
            defer { unsafe curl_multi_remove_handle(multi, easy) }
            let code = try unsafe run(multi, until: end, unless: isCancelled)
            guard code == CURLE_OK else {
                if body.isTooLarge { throw .tooLarge }
                throw .unreachable(unsafe String(cString: curl_easy_strerror(code)))
            }
            var status = 0
            unsafe ccurl_get_long(easy, CURLINFO_RESPONSE_CODE, &status)
            var next: UnsafePointer<CChar>?
            unsafe ccurl_get_string(easy, CURLINFO_REDIRECT_URL, &next)
            guard let other = unsafe next.map({ unsafe String(cString: $0) }) else {
                var seconds: curl_off_t = 0
                unsafe ccurl_get_offset(easy, CURLINFO_RETRY_AFTER, &seconds)
                return WebAnswer(
                    status: status, body: body.bytes, retryAfter: Double(max(0, seconds)))
            }
            guard Self.isSameServer(other, as: address) else {
                throw .otherServer(Self.host(of: other))
            }
            address = other
        }
        throw .unreachable("too many redirects")
    }

    /// The name of the server of an address, without its port: `lrclib.net`.
    package static func host(of address: String) -> String {
        let rest = address.drop { $0 != ":" }.dropFirst().drop { $0 == "/" }
        let place = rest.prefix { !"/?#".contains($0) }
        let named = place.split(separator: "@").last ?? place
        guard named.first == "[" else { return named.prefix { $0 != ":" }.lowercased() }
        return named.prefix { $0 != "]" }.lowercased() + "]"
    }

    /// Whether an address leads to the server of another one, by the same way or, from http, by https.
    static func isSameServer(_ address: String, as other: String) -> Bool {
        func place(_ address: String) -> (scheme: String, host: String, port: String) {
            let scheme = address.prefix { $0 != ":" }.lowercased()
            let named = address.drop { $0 != ":" }.dropFirst().drop { $0 == "/" }
                .prefix { !"/?#".contains($0) }
            let server = named.split(separator: "@").last ?? named
            let behind = server.lastIndex(of: "]").map { server[$0...].dropFirst() } ?? server
            let port = behind.firstIndex(of: ":").map { String(behind[$0...].dropFirst()) }
            return (scheme, host(of: address), port ?? (scheme == "https" ? "443" : "80"))
        }
        let (new, old) = (place(address), place(other))
        if new == old { return true }
        return new.host == old.host && (old.scheme, old.port) == ("http", "80")
            && (new.scheme, new.port) == ("https", "443")
    }

    /// What has come of a body.
    private final class Body {
        let limit: Int
        var bytes: [UInt8] = []
        var isTooLarge = false

        init(limit: Int) { self.limit = limit }

        func add(_ bytes: UnsafeRawBufferPointer) -> Int {
            isTooLarge = isTooLarge || self.bytes.count + bytes.count > limit
            guard !isTooLarge else { return 0 }
            unsafe self.bytes.append(contentsOf: bytes)
            return bytes.count
        }
    }

    private static func prepare(
        _ easy: UnsafeMutableRawPointer, _ agent: String, _ limits: Limits
    ) {
        unsafe ccurl_set_string(easy, CURLOPT_PROTOCOLS_STR, "http,https")
        unsafe ccurl_set_string(easy, CURLOPT_USERAGENT, agent)
        unsafe ccurl_set_string(easy, CURLOPT_ACCEPT_ENCODING, "")
        unsafe ccurl_set_long(
            easy, CURLOPT_CONNECTTIMEOUT_MS, Int(nearest: limits.connection * 1000))
        unsafe ccurl_set_long(easy, CURLOPT_NOSIGNAL, 1)
        // A name look-up that hangs is abandoned, not waited for.
        unsafe ccurl_set_long(easy, CURLOPT_QUICK_EXIT, 1)
        if let file = environmentValue("SSL_CERT_FILE") {
            unsafe ccurl_set_string(easy, CURLOPT_CAINFO, file)
        }
        unsafe ccurl_set_write(easy) { bytes, _, count, context in
            guard let bytes = unsafe bytes, let context = unsafe context else { return 0 }
            let body = unsafe Unmanaged<Body>.fromOpaque(context).takeUnretainedValue()
            return unsafe body.add(UnsafeRawBufferPointer(start: bytes, count: count))
        }
    }

    /// Waits until the transfer has ended, and returns how.
    private static func run(
        _ multi: UnsafeMutableRawPointer, until end: Double, unless isCancelled: () -> Bool
    ) throws(Failure) -> CURLcode {
        while true {
            var (running, left): (Int32, Int32) = (0, 0)
            guard unsafe curl_multi_perform(multi, &running) == CURLM_OK else {
                throw .unreachable("libcurl gave up")
            }
            while let message = unsafe curl_multi_info_read(multi, &left) {
                if unsafe message.pointee.msg == CURLMSG_DONE {
                    return unsafe message.pointee.data.result
                }
            }
            if isCancelled() { throw .cancelled }
            guard monotonicSeconds() < end else { throw .tooSlow }
            guard unsafe curl_multi_poll(multi, nil, 0, 100, nil) == CURLM_OK else {
                throw .unreachable("libcurl gave up")
            }
        }
    }
}
