import CJack
import Glibc
import Synchronization
import SystemSupport

/// JACK's metadata: what patchbays show beside the names of clients and ports.
///
/// jackd keeps metadata in a database in shared memory that all servers and clients of one user
/// have open (Berkeley DB, /dev/shm/jack_db-UID). A process that was killed inside it may hold its
/// locks for ever; and two processes that use it at the same moment may wait for each other's locks
/// for ever, and jackd with them. So clients of ours take turns. Nothing depends on metadata, so
/// every call has a time limit, and after a call that did not come back no other call is made.
enum JackMetadata {
    /// One key and value of a client or a port.
    struct Property: Sendable, Hashable {
        let subject: jack_uuid_t
        let key: String
        let value: String
        /// A MIME type or a URI; nil means text.
        let type: String?
    }

    /// The keys that are used here. Copied from jack/metadata.h, where they are C variables, which
    /// Swift 6 rejects as shared mutable state.
    enum Key {
        static let prettyName = "http://jackaudio.org/metadata/pretty-name"
        static let order = "http://jackaudio.org/metadata/order"
        static let iconName = "http://jackaudio.org/metadata/icon-name"
    }

    static let integer = "http://www.w3.org/2001/XMLSchema#int"

    /// How long a call may take, in milliseconds. The call itself takes less than one, but calls of
    /// many other clients may have their turn first.
    private static let patience = 1000
    /// Whether a call did not come back: no other is made after that.
    private static let isStuck = Atomic<Bool>(false)

    /// Whether every call so far came back in time.
    static var answers: Bool { !isStuck.load(ordering: .relaxed) }

    /// Publishes `properties`. False when at least one of them was not stored.
    static func set(_ properties: [Property], by client: ClientHandle) -> Bool {
        unsafe bounded(by: client) { client in
            properties.allSatisfy { property in
                unsafe jack_set_property(
                    client, property.subject, property.key, property.value, property.type) == 0
            }
        } ?? false
    }

    /// Removes those of `properties` that still have our value. Any other value is of another
    /// server of this user, which may number its ports and clients as ours does. To be called
    /// inside `inTurn`; may block for ever.
    static func remove(_ properties: [Property], by client: ClientHandle) {
        guard !isStuck.load(ordering: .relaxed) else { return }
        for property in properties
        where value(of: property.key, subject: property.subject) == property.value {
            unsafe client.use { unsafe jack_remove_property($0, property.subject, property.key) }
        }
    }

    /// The place of each of `ports` among the ports of its client; nil where metadata name none.
    static func orders(of ports: [jack_uuid_t], by client: ClientHandle) -> [Int?] {
        unsafe bounded(by: client) { _ in
            ports.map { port in value(of: Key.order, subject: port).flatMap { Int($0) } }
        } ?? [Int?](repeating: nil, count: ports.count)
    }

    /// Runs `work` in its turn, with a time limit, and returns its result; nil when the client is
    /// closed or the time is over.
    private static func bounded<Value: Sendable>(
        by client: ClientHandle, _ work: @escaping @Sendable (OpaquePointer) -> Value
    ) -> Value? {
        guard !isStuck.load(ordering: .relaxed) else { return nil }
        do throws(BoundedCall.Failure) {
            return try BoundedCall.call(milliseconds: patience) { () -> Value? in
                inTurn {
                    // A call that was given up while it waited for its turn is not made later: the
                    // client may be about to be deactivated. Checked inside `use`, because
                    // `deactivate` waits for that.
                    let answer = unsafe client.use { client in
                        isStuck.load(ordering: .relaxed) ? nil : unsafe work(client)
                    }
                    return answer ?? nil
                }
            }
        } catch {
            guard error == .unanswered else { return nil }
            isStuck.store(true, ordering: .relaxed)
            JackLog.receive("JACK's metadata do not answer: done without from here on")
            return nil
        }
    }

    /// Runs `work` while no other process of ours is in the database: holds a file lock, which the
    /// kernel releases when the process ends.
    static func inTurn<Value>(_ work: () -> Value) -> Value {
        let folder = unsafe open("/dev/shm/jack_db-\(getuid())", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        defer { if folder >= 0 { close(folder) } }
        while folder >= 0, flock(folder, LOCK_EX) != 0, errno == EINTR {}
        enter()
        defer { leave() }
        return work()
    }

    /// The end of the process waits until `leave` is called as often, half a second at most. To be
    /// called before a thread goes into the database: a lock that the end of the process leaves
    /// there hangs every server that this user starts later.
    static func enter() {
        _ = endWaits
        callsInside.add(1, ordering: .sequentiallyConsistent)
    }

    /// To be called when the thread has come out.
    static func leave() { callsInside.subtract(1, ordering: .sequentiallyConsistent) }

    /// How many threads of this process are in the database, or about to go there.
    private static let callsInside = Atomic<Int>(0)

    /// Registers, once, what the end of the process waits for.
    private static let endWaits: Void = {
        let handler: @convention(c) () -> Void = {
            isStuck.store(true, ordering: .sequentiallyConsistent)
            for _ in 0..<500 where callsInside.load(ordering: .sequentiallyConsistent) > 0 {
                usleep(1000)
            }
        }
        atexit(handler)
        at_quick_exit(handler)
    }()

    private static func value(of key: String, subject: jack_uuid_t) -> String? {
        var text: UnsafeMutablePointer<CChar>?
        var type: UnsafeMutablePointer<CChar>?
        guard unsafe jack_get_property(subject, key, &text, &type) == 0 else { return nil }
        defer {
            unsafe jack_free(text)
            unsafe jack_free(type)
        }
        return unsafe text.map { unsafe String(cString: $0) }
    }
}

extension JackMetadata {
    /// The names and the order by which patchbays show a client and its `ports`. Blocks as libjack
    /// does.
    static func properties(
        of client: OpaquePointer, name: String, configuration: JackConfiguration,
        ports: [OpaquePointer]
    ) -> [Property] {
        var properties: [Property] = []
        if let subject = unsafe identifier(of: client) {
            properties = [
                .init(
                    subject: subject, key: Key.prettyName,
                    value: configuration.title(ofClient: name), type: "text/plain"),
                .init(
                    subject: subject, key: Key.iconName,
                    value: "audio-input-microphone", type: "text/plain"),
            ]
        }
        let names = configuration.microphonePorts + configuration.allOutputPorts
        for (index, name) in names.enumerated() {
            let subject = unsafe jack_port_uuid(ports[index])
            properties += [
                .init(
                    subject: subject, key: Key.prettyName,
                    value: prettyName(ofPort: name), type: "text/plain"),
                .init(
                    subject: subject, key: Key.order, value: "\(index)",
                    type: integer),
            ]
        }
        return properties
    }

    private static func identifier(of client: OpaquePointer) -> jack_uuid_t? {
        guard let text = unsafe jack_client_get_uuid(client) else { return nil }
        defer { unsafe jack_free(text) }
        var identifier = jack_uuid_t()
        return unsafe jack_uuid_parse(text, &identifier) == 0 ? identifier : nil
    }

    private static func prettyName(ofPort name: String) -> String {
        // `mic_2`, and a channel of a microphone of many, `mic_ch2`.
        if name.hasPrefix("mic_"), let number = Int(name.dropFirst(4)) {
            let ordinals = [2: "Second", 3: "Third", 4: "Fourth"]
            return ordinals[number].map { "\($0) microphone" } ?? "Microphone \(number)"
        }
        if name.hasPrefix("mic_ch"), let channel = Int(name.dropFirst(6)) {
            return "Microphone channel \(channel)"
        }
        return switch name {
        case "mic": "Microphone"
        case "mic_left": "Microphone left"
        case "mic_right": "Microphone right"
        case "out_left": "Output left"
        case "out_right": "Output right"
        // `song_out_left`, an output of the song by itself.
        default:
            name.prefix(1).uppercased()
                + name.dropFirst().split(separator: "_").joined(separator: " ")
        }
    }
}
