import CCurl
import Glibc

/// One transfer by libcurl, with what every transfer of ours allows and forbids: `http` and
/// `https` alone, redirects too, certificates verified, nothing that blocks. For one thread.
///
/// The options stay from one `start` to the next, and so does the connection.
@safe final class HTTPRequest {
    /// What came of a transfer.
    struct Outcome {
        let code: CURLcode
        /// The last response's status; 0 for none.
        let status: Int
        /// What the server asked to wait, in seconds.
        let retryAfter: Double
        /// The errno of a connection that failed.
        let systemError: Int32
    }

    private let multi: UnsafeMutableRawPointer
    private let easy: UnsafeMutableRawPointer
    private(set) var isRunning = false

    /// One response of a transfer: the song's, or a redirect before it.
    private struct Hop {
        /// Redirects before it.
        var redirects = 0
        /// What all connections up to it took to stand, in microseconds.
        var connecting: curl_off_t = 0
    }
    /// The last one that sent a header.
    private var answered = Hop()

    /// A transfer of `address`; its body goes to `sink`, which must outlive it.
    init(address: String, limits: NetworkLimits, sink: HTTPSource) {
        Self.prepareLibrary()
        guard let multi = unsafe curl_multi_init(), let easy = unsafe curl_easy_init() else {
            fatalError("libcurl has no memory for a transfer")
        }
        unsafe self.multi = multi
        unsafe self.easy = easy
        set(CURLOPT_URL, address)
        // Redirects too: CURLOPT_REDIR_PROTOCOLS_STR(3) cannot allow what this denies.
        set(CURLOPT_PROTOCOLS_STR, "http,https")
        set(CURLOPT_USERAGENT, "duet/0.1")
        set(CURLOPT_FOLLOWLOCATION, 1)
        set(CURLOPT_MAXREDIRS, limits.redirects)
        set(CURLOPT_CONNECTTIMEOUT_MS, Int(limits.connect * 1000))
        set(CURLOPT_FAILONERROR, 1)
        set(CURLOPT_NOSIGNAL, 1)
        // A name look-up that hangs is left behind, not waited for.
        set(CURLOPT_QUICK_EXIT, 1)
        set(CURLOPT_BUFFERSIZE, 131_072)
        if let certificates = unsafe getenv("SSL_CERT_FILE") {
            unsafe ccurl_set_string(self.easy, CURLOPT_CAINFO, certificates)
        }
        unsafe ccurl_set_write(self.easy) { bytes, _, count, context in
            guard let bytes = unsafe bytes, let context = unsafe context else { return 0 }
            let source = unsafe Unmanaged<HTTPSource>.fromOpaque(context).takeUnretainedValue()
            let buffer = unsafe UnsafeRawBufferPointer(start: bytes, count: count)
            return unsafe source.receive(buffer)
        }
        unsafe ccurl_set_pointer(
            self.easy, CURLOPT_WRITEDATA, Unmanaged.passUnretained(sink).toOpaque())
        unsafe ccurl_set_header(self.easy) { _, _, count, context in
            guard let context = unsafe context else { return 0 }
            unsafe Unmanaged<HTTPSource>.fromOpaque(context).takeUnretainedValue().receiveHeader()
            return count
        }
        unsafe ccurl_set_pointer(
            self.easy, CURLOPT_HEADERDATA, Unmanaged.passUnretained(sink).toOpaque())
    }

    deinit {
        stop()
        unsafe curl_easy_cleanup(easy)
        unsafe curl_multi_cleanup(multi)
    }

    /// Begins a transfer from `offset` on; ends one that runs.
    func start(at offset: Int64) {
        stop()
        if offset > 0 {
            set(CURLOPT_RANGE, "\(offset)-")
        } else {
            unsafe ccurl_set_string(easy, CURLOPT_RANGE, nil)
        }
        answered = Hop()
        unsafe curl_multi_add_handle(multi, easy)
        isRunning = true
    }

    /// Ends the transfer.
    func stop() {
        guard isRunning else { return }
        unsafe curl_multi_remove_handle(multi, easy)
        isRunning = false
    }

    /// Lets a transfer go on whose receiver asked for a pause. Delivers to it at once.
    func resume() { unsafe curl_easy_pause(easy, CURLPAUSE_CONT) }

    /// Does what can be done without waiting; not nil when the transfer has ended.
    func advance() -> Outcome? {
        var running: Int32 = 0
        unsafe curl_multi_perform(multi, &running)
        var left: Int32 = 0
        while let message = unsafe curl_multi_info_read(multi, &left) {
            guard unsafe message.pointee.msg == CURLMSG_DONE else { continue }
            var retryAfter: curl_off_t = 0
            unsafe ccurl_get_offset(easy, CURLINFO_RETRY_AFTER, &retryAfter)
            var systemError = 0
            unsafe ccurl_get_long(easy, CURLINFO_OS_ERRNO, &systemError)
            let outcome = unsafe Outcome(
                code: message.pointee.data.result, status: status, retryAfter: Double(retryAfter),
                systemError: Int32(systemError))
            stop()
            return outcome
        }
        return nil
    }

    /// Waits for the transfer's sockets and timers, for `descriptors`, or for the time to pass.
    func wait(milliseconds: Int, descriptors: [Int32]) {
        var waited = descriptors.map {
            curl_waitfd(fd: $0, events: Int16(CURL_WAIT_POLLIN), revents: 0)
        }
        unsafe curl_multi_poll(
            multi, &waited, UInt32(waited.count), Int32(milliseconds), nil)
    }

    /// The present response's status.
    var status: Int {
        var status = 0
        unsafe ccurl_get_long(easy, CURLINFO_RESPONSE_CODE, &status)
        return status
    }

    /// Whether the present transfer's connection stands: from here on silence is a stall. After a
    /// redirect it is the next server's, which has `NetworkLimits.connect` anew.
    var isConnected: Bool {
        let hop = hop
        return hop.connecting > (hop.redirects > answered.redirects ? answered.connecting : 0)
    }

    /// A header has come.
    func noteHeader() { answered = hop }

    /// Where the transfer is. libcurl adds up the times of all hops.
    private var hop: Hop {
        var hop = Hop()
        unsafe ccurl_get_offset(easy, CURLINFO_PRETRANSFER_TIME_T, &hop.connecting)
        unsafe ccurl_get_long(easy, CURLINFO_REDIRECT_COUNT, &hop.redirects)
        return hop
    }

    /// The length that the present response announces for its body.
    var bodyLength: Int64? {
        var length: curl_off_t = -1
        unsafe ccurl_get_offset(easy, CURLINFO_CONTENT_LENGTH_DOWNLOAD_T, &length)
        return length >= 0 ? Int64(length) : nil
    }

    /// A header of the present response.
    func header(_ name: String) -> String? {
        var header: UnsafeMutablePointer<curl_header>?
        guard
            unsafe curl_easy_header(easy, name, 0, UInt32(CURLH_HEADER), -1, &header) == CURLHE_OK,
            let value = unsafe header?.pointee.value
        else { return nil }
        return unsafe safeText(String(cString: value))
    }

    private func set(_ option: CURLoption, _ value: Int) {
        unsafe ccurl_set_long(easy, option, value)
    }

    private func set(_ option: CURLoption, _ value: String) {
        unsafe ccurl_set_string(easy, option, value)
    }

    /// Once a process, before anything else of the library.
    private static func prepareLibrary() { _ = libraryState }
    private static let libraryState = curl_global_init(Int(CURL_GLOBAL_DEFAULT))
}
