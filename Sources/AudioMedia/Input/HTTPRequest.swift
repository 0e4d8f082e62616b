import CCurl
import Glibc
import SystemSupport

/// One transfer by libcurl, with the options that all our transfers share: only `http` and `https`,
/// in redirects too; certificates are verified; no call blocks. For one thread.
///
/// The options stay from one `start` to the next. Connections outlast the request: see
/// `Connections`.
@safe final class HTTPRequest {
    /// How a transfer ended.
    struct Outcome {
        let code: CURLcode
        /// The last response's status; 0 for none.
        let status: Int
        /// The wait that the server asked for, in seconds.
        let retryAfter: Double
        /// The errno of a connection that failed.
        let systemError: Int32
        /// OpenSSL's error about the server's certificate (x509_vfy.h); 0 for none.
        let certificateError: Int
        /// The status with which a proxy answered CONNECT; 0 for none.
        let proxyStatus: Int
        /// The host and port of the last request, as `host:80`; nil where a proxy may stand between.
        let place: String?
        /// The body's compression, as `gzip`; nil for none.
        let encoding: String?

        /// Whether the last response led to another address.
        var isRedirect: Bool { (300..<400).contains(status) }
        /// Whether the last response asked for a password.
        var isChallenge: Bool { status == 401 || status == 407 }
    }

    /// The connections of the present transfer, and of the one that has ended until `release`.
    private var connections: Connections?
    private let easy: UnsafeMutableRawPointer
    private(set) var isRunning = false
    /// Request headers sent besides libcurl's own.
    private var headers: UnsafeMutablePointer<curl_slist>?
    /// How first lines of a response begin that count as `HTTP/1.0 200 OK`.
    private let aliases: UnsafeMutablePointer<curl_slist>?

    /// Bytes of the heads of the present transfer, redirects' included.
    private(set) var headBytes = 0
    private var heads = AnswerHeads()
    /// Whether the head of the present response is complete.
    var isHeadComplete: Bool { heads.isComplete }
    /// Why the present response ends the transfer, although libcurl would go on: a station refuses, or
    /// a password is asked for again and again. libcurl does not count the challenges of a proxy before
    /// a secure connection.
    var refusal: NetworkFault? {
        heads.challenges > redirectLimit
            ? .status(heads.status, isProxys: heads.status == 407) : heads.icyRefusal
    }
    /// How server and proxy are given name and password: by Basic, and unasked, for most servers want
    /// no more, and some never ask; or by what they have asked for.
    private var serverWay = ccurl_auth_basic
    private var proxyWay = ccurl_auth_basic
    /// The maximum number of redirects of a transfer. libcurl counts repeated challenges as well.
    private let redirectLimit: Int
    /// Whether each request of the present transfer has a connection of its own.
    private var avoidsKeptConnections = false

    /// One response of a transfer: the song's, or a redirect before it.
    private struct Hop {
        /// Redirects before it.
        var redirects = 0
        /// The time to make all connections up to this one, in microseconds.
        var connecting: curl_off_t = 0
    }
    /// The last hop that sent a header.
    private var answered = Hop()

    /// A transfer of `address`; its body goes to `sink`, which must outlive it.
    init(address: String, limits: NetworkLimits, sink: HTTPSource) {
        Self.prepareLibrary()
        guard let easy = unsafe curl_easy_init() else { Self.lackMemory() }
        unsafe self.easy = easy
        redirectLimit = limits.redirects
        unsafe aliases = curl_slist_append(nil, "ICY ")
        set(CURLOPT_URL, address)
        // Limits redirects too: CURLOPT_REDIR_PROTOCOLS_STR(3) cannot allow what this denies.
        set(CURLOPT_PROTOCOLS_STR, "http,https")
        set(CURLOPT_USERAGENT, programName)
        set(CURLOPT_FOLLOWLOCATION, 1)
        set(CURLOPT_MAXREDIRS, redirectLimit)
        set(CURLOPT_CONNECTTIMEOUT_MS, Int(nearest: limits.connect * 1000))
        set(CURLOPT_FAILONERROR, 1)
        // Unpacks what a server has packed unasked.
        set(CURLOPT_ACCEPT_ENCODING, "")
        // Keeps cookies, in memory.
        set(CURLOPT_COOKIEFILE, "")
        set(CURLOPT_NOSIGNAL, 1)
        // A name look-up that hangs is abandoned, not waited for.
        set(CURLOPT_QUICK_EXIT, 1)
        set(CURLOPT_MAXAGE_CONN, Connections.patience)
        set(CURLOPT_BUFFERSIZE, 131_072)
        unsafe ccurl_set_pointer(self.easy, CURLOPT_HTTP200ALIASES, aliases)
        if let file = environmentValue("SSL_CERT_FILE") {
            unsafe ccurl_set_string(self.easy, CURLOPT_CAINFO, file)
        }
        unsafe ccurl_set_write(self.easy) { bytes, _, count, context in
            guard let bytes = unsafe bytes, let context = unsafe context else { return 0 }
            let source = unsafe Unmanaged<HTTPSource>.fromOpaque(context).takeUnretainedValue()
            let buffer = unsafe UnsafeRawBufferPointer(start: bytes, count: count)
            return unsafe source.receive(buffer)
        }
        unsafe ccurl_set_pointer(
            self.easy, CURLOPT_WRITEDATA, Unmanaged.passUnretained(sink).toOpaque())
        unsafe ccurl_set_header(self.easy) { bytes, _, count, context in
            guard let bytes = unsafe bytes, let context = unsafe context else { return 0 }
            let source = unsafe Unmanaged<HTTPSource>.fromOpaque(context).takeUnretainedValue()
            return unsafe source.receiveHeader(UnsafeRawBufferPointer(start: bytes, count: count))
        }
        unsafe ccurl_set_pointer(
            self.easy, CURLOPT_HEADERDATA, Unmanaged.passUnretained(sink).toOpaque())
    }

    deinit {
        stop()
        unsafe curl_easy_cleanup(easy)
        unsafe curl_slist_free_all(headers)
        unsafe curl_slist_free_all(aliases)
    }

    /// Begins a transfer of `range`, as `5-99` or `5-`, or of the whole file for nil. Ends a transfer
    /// that runs.
    func start(range: String?, asksForTitles: Bool, onNewConnection isNew: Bool) {
        stop()
        set(CURLOPT_FRESH_CONNECT, isNew ? 1 : 0)
        avoidsKeptConnections = false
        set(CURLOPT_FORBID_REUSE, 0)
        // Cookies are for the redirects of one transfer.
        set(CURLOPT_COOKIELIST, "ALL")
        unsafe curl_slist_free_all(headers)
        // Asks every server not to compress the MP3.
        unsafe headers = curl_slist_append(nil, "Accept-Encoding: identity")
        if asksForTitles { unsafe headers = curl_slist_append(headers, "Icy-MetaData: 1") }
        unsafe ccurl_set_string(easy, CURLOPT_RANGE, range)
        unsafe ccurl_set_pointer(easy, CURLOPT_HTTPHEADER, headers)
        headBytes = 0
        add()
    }

    private func add() {
        answered = Hop()
        heads = AnswerHeads()
        connections = connections ?? Connections.take()
        guard let connections else { Self.lackMemory() }
        unsafe connections.add(easy)
        isRunning = true
    }

    private static func lackMemory() -> Never { fatalError("libcurl has no memory for a transfer") }

    /// Ends the transfer.
    func stop() {
        end()
        release()
    }

    private func end() {
        guard isRunning else { return }
        unsafe connections?.remove(easy)
        isRunning = false
    }

    /// Leaves the connections of a transfer that has ended to others.
    func release() {
        guard !isRunning else { return }
        connections?.leave()
        connections = nil
    }

    /// Closes the connections of a transfer that has ended: it was cut off, or has brought what is
    /// wrong.
    func closeConnections() { if !isRunning { connections = nil } }

    /// Resumes a transfer that its receiver paused. Bytes that wait are delivered at once.
    func resume() { unsafe curl_easy_pause(easy, CURLPAUSE_CONT) }

    /// Does all that can be done without waiting. The outcome when the transfer has ended, else
    /// nil.
    func advance() -> Outcome? {
        guard let multi = unsafe connections?.multi else { return nil }
        var running: Int32 = 0
        unsafe curl_multi_perform(multi, &running)
        var left: Int32 = 0
        while let message = unsafe curl_multi_info_read(multi, &left) {
            guard unsafe message.pointee.msg == CURLMSG_DONE else { continue }
            var retryAfter: curl_off_t = 0
            unsafe ccurl_get_offset(easy, CURLINFO_RETRY_AFTER, &retryAfter)
            let outcome = unsafe Outcome(
                code: message.pointee.data.result, status: number(CURLINFO_RESPONSE_CODE),
                retryAfter: Double(retryAfter),
                systemError: Int32(clamping: number(CURLINFO_OS_ERRNO)),
                certificateError: number(CURLINFO_SSL_VERIFYRESULT),
                proxyStatus: number(CURLINFO_HTTP_CONNECTCODE),
                place: Self.mayUseProxy ? nil : response.place, encoding: response.encoding)
            end()
            guard changeAuthentication(after: outcome) || avoidKeptConnections(after: outcome)
            else {
                if outcome.code != CURLE_OK { closeConnections() }
                return outcome
            }
            add()
            return nil
        }
        return nil
    }

    /// Whether the environment names a proxy.
    private static let mayUseProxy = [
        "http_proxy", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY",
    ]
    .contains { environmentValue($0)?.isEmpty == false }

    /// Changes how the password is given, to the server or to the proxy that has just refused; false
    /// where it knows no other way than the one that was tried.
    private func changeAuthentication(after outcome: Outcome) -> Bool {
        if outcome.status == 407 || outcome.proxyStatus == 407 {
            return change(&proxyWay, CURLOPT_PROXYAUTH, to: number(CURLINFO_PROXYAUTH_AVAIL))
        }
        guard outcome.status == 401 else { return false }
        return change(&serverWay, CURLOPT_HTTPAUTH, to: number(CURLINFO_HTTPAUTH_AVAIL))
    }

    /// One way is set and no choice, because libcurl has read the challenge already.
    private func change(_ way: inout Int, _ option: CURLoption, to offered: Int) -> Bool {
        let found = [ccurl_auth_digest, ccurl_auth_ntlm].first { offered & $0 != 0 }
        guard way == ccurl_auth_basic, let found else { return false }
        way = found
        set(option, way)
        return true
    }

    /// Prepares to repeat, once, a transfer that broke off between redirects or challenges, with a new
    /// connection for each request; false if that is not why it ended.
    ///
    /// libcurl ends a transfer after five kept connections that the server has closed.
    private func avoidKeptConnections(after outcome: Outcome) -> Bool {
        guard
            !avoidsKeptConnections, number(CURLINFO_REDIRECT_COUNT) >= 5,
            outcome.code == CURLE_SEND_ERROR || outcome.code == CURLE_RECV_ERROR,
            outcome.isRedirect || outcome.isChallenge
        else { return false }
        avoidsKeptConnections = true
        set(CURLOPT_FORBID_REUSE, 1)
        closeConnections()
        return true
    }

    /// Waits for the transfer's sockets and timers, for `descriptors`, or for the time to pass.
    func wait(milliseconds: Int, descriptors: [Int32]) {
        guard let multi = unsafe connections?.multi else {
            return _ = waitForInput(descriptors, milliseconds: milliseconds)
        }
        var waited = descriptors.map {
            curl_waitfd(fd: $0, events: Int16(CURL_WAIT_POLLIN), revents: 0)
        }
        unsafe curl_multi_poll(
            multi, &waited, UInt32(waited.count), PollSet.timeout(milliseconds), nil)
    }

    /// The head of the present response.
    var response: HTTPResponse {
        var length: curl_off_t = -1
        unsafe ccurl_get_offset(easy, CURLINFO_CONTENT_LENGTH_DOWNLOAD_T, &length)
        var address: UnsafePointer<CChar>?
        unsafe ccurl_get_string(easy, CURLINFO_EFFECTIVE_URL, &address)
        return unsafe HTTPResponse(
            status: number(CURLINFO_RESPONSE_CODE), length: length >= 0 ? Int64(length) : nil,
            address: address.map { unsafe String(cString: $0) }, isIcy: heads.isIcy,
            isFramed: number(CURLINFO_HTTP_VERSION) >= Int(CURL_HTTP_VERSION_2_0),
            header: header)
    }

    /// Whether the present transfer's connection is made: from then on silence is a stall. After a
    /// redirect this is the connection to the next server, which has `NetworkLimits.connect` again.
    var isConnected: Bool {
        let hop = hop
        return hop.connecting > (hop.redirects > answered.redirects ? answered.connecting : 0)
    }

    /// Notes a line of a response's head, or of the trailers behind its body.
    func noteHeader(_ line: UnsafeRawBufferPointer, isTrailer: Bool) {
        answered = hop
        headBytes += line.count
        if !isTrailer { unsafe heads.note(line) }
    }

    /// The hop that the transfer has reached. libcurl adds up the times of all hops.
    private var hop: Hop {
        var hop = Hop()
        unsafe ccurl_get_offset(easy, CURLINFO_PRETRANSFER_TIME_T, &hop.connecting)
        unsafe ccurl_get_long(easy, CURLINFO_REDIRECT_COUNT, &hop.redirects)
        return hop
    }

    /// A header of the present response, safe to show.
    private func header(_ name: String) -> String? {
        var header: UnsafeMutablePointer<curl_header>?
        guard
            unsafe curl_easy_header(easy, name, 0, UInt32(CURLH_HEADER), -1, &header) == CURLHE_OK,
            let value = unsafe header?.pointee.value
        else { return nil }
        return unsafe SafeText.clean(
            bytes: UnsafeRawBufferPointer(start: value, count: strlen(value)))
    }

    private func number(_ info: CURLINFO) -> Int {
        var number = 0
        unsafe ccurl_get_long(easy, info, &number)
        return number
    }

    private func set(_ option: CURLoption, _ value: Int) {
        unsafe ccurl_set_long(easy, option, value)
    }

    private func set(_ option: CURLoption, _ value: String) {
        unsafe ccurl_set_string(easy, option, value)
    }

    /// Sets libcurl up, once in a process, before the first transfer.
    static func prepareLibrary() { _ = libraryState }
    private static let libraryState = curl_global_init(Int(CURL_GLOBAL_DEFAULT))
}

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
    /// The present head's status; 0 if its first line has none.
    private(set) var status = 0
    /// How many of the heads have asked for a password.
    private(set) var challenges = 0

    /// Notes a header line.
    mutating func note(_ line: some Collection<UInt8>) {
        switch place {
        case .between:
            let isIcy = line.starts(with: "ICY ".utf8)
            guard isIcy || line.starts(with: "HTTP/".utf8) else { return }
            (place, isComplete, self.isIcy) = (.inside, false, isIcy)
            let digits = line.drop { $0 != UInt8(ascii: " ") }.dropFirst().prefix(3)
            status = Int(String(decoding: digits, as: UTF8.self)) ?? 0
            if status == 401 || status == 407 { challenges += 1 }
            icyRefusal =
                isIcy ? NetworkFault(icyLine: String(decoding: line, as: UTF8.self)) : nil
        case .inside:
            if line.first == 13 || line.first == 10 { (place, isComplete) = (.between, true) }
        }
    }
}
