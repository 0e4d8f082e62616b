import CJack
import Glibc
import Synchronization
import SystemSupport

/// JACK's metadata: what patchbays show beside the names of clients and ports.
///
/// jackd's is a database in shared memory that all servers and clients of one user have open
/// (Berkeley DB, /dev/shm/jack_db-UID). A process that was killed inside it may hold its locks for
/// ever; and of two that use it at the same moment each may wait for what the other has locked,
/// for ever too, and jackd with them. So clients of ours take turns, and since nothing depends on
/// it, every call is waited for only so long, and where one did not come back no other is made.
enum JackMetadata {
    /// What one subject, a client or a port, says of itself.
    struct Property: Sendable, Hashable {
        let subject: jack_uuid_t
        let key: String
        let value: String
        /// A MIME type or a URI; nil means text.
        let type: String?
    }

    /// jack/metadata.h names these by variables, which Swift takes for shared and changeable.
    enum Key {
        static let prettyName = "http://jackaudio.org/metadata/pretty-name"
        static let order = "http://jackaudio.org/metadata/order"
        static let iconName = "http://jackaudio.org/metadata/icon-name"
    }

    static let integer = "http://www.w3.org/2001/XMLSchema#int"

    /// How long a call is waited for, in milliseconds: it takes less than one, and many may be
    /// before it.
    private static let patience = 1000
    private static let isStuck = Atomic<Bool>(false)

    /// Says `properties` to everybody. False: at least one was not taken.
    static func set(_ properties: [Property], by client: ClientHandle) -> Bool {
        unsafe bounded(by: client) { client in
            properties.allSatisfy { property in
                unsafe jack_set_property(
                    client, property.subject, property.key, property.value, property.type) == 0
            }
        } ?? false
    }

    /// Takes back those of `properties` that still say what we said: another server of this user
    /// may number its ports and clients as ours does. Only `inTurn`; may block for ever.
    static func remove(_ properties: [Property], by client: ClientHandle) {
        guard !isStuck.load(ordering: .relaxed) else { return }
        for property in properties
        where value(of: property.key, subject: property.subject) == property.value {
            unsafe client.use { unsafe jack_remove_property($0, property.subject, property.key) }
        }
    }

    /// The place that each of `ports` wants among its client's; nil for one that does not say.
    static func orders(of ports: [jack_uuid_t], by client: ClientHandle) -> [Int?] {
        unsafe bounded(by: client) { _ in
            ports.map { port in value(of: Key.order, subject: port).flatMap { Int($0) } }
        } ?? [Int?](repeating: nil, count: ports.count)
    }

    /// What `work` answers in its turn; nil: the client is closed, or there is no answer.
    private static func bounded<Value: Sendable>(
        by client: ClientHandle, _ work: @escaping @Sendable (OpaquePointer) -> Value
    ) -> Value? {
        guard !isStuck.load(ordering: .relaxed) else { return nil }
        do throws(BoundedCall.Failure) {
            return try BoundedCall.call(milliseconds: patience) { () -> Value? in
                inTurn {
                    // What waited for its turn when it was given up is not done any more: the client
                    // may be about to be deactivated. Asked in `use`, which `deactivate` waits for.
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

    /// Runs `work` while no other client of ours is in the database. A process that ends lets go.
    static func inTurn<Value>(_ work: () -> Value) -> Value {
        let folder = unsafe open("/dev/shm/jack_db-\(getuid())", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard folder >= 0 else { return work() }
        defer { close(folder) }
        while flock(folder, LOCK_EX) != 0, errno == EINTR {}
        return work()
    }

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
