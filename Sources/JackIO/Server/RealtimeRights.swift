import CJack
import Glibc
import SystemSupport

/// Whether the kernel lets this user have realtime scheduling and locked memory, and what this
/// machine has that can give them.
public struct RealtimeRights: Sendable, Equatable {
    /// Whether this user may have realtime scheduling at all.
    public var allowsRealtime: Bool
    /// The group that distributions give these rights to.
    public var group: String
    /// Whether this user is in that group, since this log-in or from the next one on.
    public var isInGroup: Bool
    /// Whether members of that group get these rights on this machine.
    public var hasGroupLimits: Bool
    /// Whether RealtimeKit is installed, the service from which PipeWire gets its priority.
    public var hasRealtimeKit: Bool
    /// Whether Debian's package jackd2 is installed, which can give `audio` these rights.
    public var hasDebianJackd: Bool

    /// The rights of the user who runs this process. Blocks for 3 s at most. Not for two threads at
    /// once.
    public static func ofThisUser() -> Self {
        let group = group(isPipeWire: Libjack.isPipeWire)
        return Self(
            allowsRealtime: allowsScheduling, group: group, isInGroup: isMember(of: group),
            hasGroupLimits: RealtimeLimits.configured(for: group).isComplete,
            hasRealtimeKit: unsafe access(realtimeKit, R_OK) == 0,
            hasDebianJackd: unsafe access("/usr/share/jackd/audio.conf", R_OK) == 0)
    }

    private static let realtimeKit =
        "/usr/share/dbus-1/system-services/org.freedesktop.RealtimeKit1.service"

    /// Whether a thread may have SCHED_FIFO: tried on a thread that is started for that.
    public static var allowsScheduling: Bool {
        BoundedCall.answer(milliseconds: 1000) {
            var parameter = sched_param()
            // The priority that jackd asks for by default.
            parameter.sched_priority = 10
            return unsafe pthread_setschedparam(pthread_self(), SCHED_FIFO, &parameter) == 0
        } ?? false
    }

    /// The group whose members have realtime rights: `pipewire` where PipeWire is the server and
    /// the distribution gives the rights to that group, else `audio`.
    static func group(isPipeWire: Bool) -> String {
        isPipeWire && RealtimeLimits.configured(for: "pipewire").allowsPriority
            ? "pipewire" : "audio"
    }

    /// Whether this user is in `group`, since this log-in or from the next one on. Also false when
    /// the list of users, which may be on a server, does not answer within 2 s. Not for two threads
    /// at once: getpwuid and getgrnam return static memory of the C library.
    static func isMember(of group: String) -> Bool {
        BoundedCall.answer(milliseconds: 2000) { hasMember(group) } ?? false
    }

    private static func hasMember(_ group: String) -> Bool {
        guard let group = unsafe getgrnam(group) else { return false }
        let number = unsafe group.pointee.gr_gid
        var groups = [gid_t](repeating: 0, count: Int(max(0, getgroups(0, nil))))
        let count = unsafe getgroups(Int32(groups.count), &groups)
        if groups.prefix(Int(max(0, count))).contains(number) || getegid() == number { return true }
        guard let user = unsafe getpwuid(getuid()) else { return false }
        let name = unsafe String(cString: user.pointee.pw_name)
        // getgrnam does not overwrite the answer of getpwuid (getpwnam(3), getgrnam(3)).
        var member = unsafe group.pointee.gr_mem
        while let text = unsafe member?.pointee {
            if unsafe String(cString: text) == name { return true }
            unsafe member = member?.advanced(by: 1)
        }
        return false
    }

    /// How many bytes this process may keep from being swapped out; nil: no limit.
    public static var lockedMemoryLimit: Int? {
        let limit = cjack_locked_memory_limit()
        return limit == .max ? nil : Int(clamping: limit)
    }

    /// How many bytes this process keeps from being swapped out: libjack locks JACK's shared memory
    /// where the limit allows that.
    static var lockedMemory: Int {
        for line in readText("/proc/self/status").split(separator: "\n") {
            let words = line.split { $0 == " " || $0 == "\t" }
            if words.count == 3, words[0] == "VmLck:" { return (Int(words[1]) ?? 0) * 1024 }
        }
        return 0
    }
}
