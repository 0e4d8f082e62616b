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

/// The realtime rights that pam_limits gives the members of a group when they log in.
struct RealtimeLimits: Equatable {
    /// Whether they may have realtime scheduling.
    var allowsPriority = false
    /// Whether they may keep JACK's memory from being swapped out: jackd's own is 102 MiB.
    var allowsMemory = false

    /// Whether both rights are given.
    var isComplete: Bool { allowsPriority && allowsMemory }

    /// The rights that this machine's configuration files give to `group`.
    static func configured(for group: String) -> Self {
        let files = ["/etc/security/limits.conf"] + files(matching: "/etc/security/limits.d/*.conf")
        return Self(group: group, in: files.map { readText($0) })
    }

    /// Reads texts in the format of limits.conf(5), with lines such as `@audio - rtprio 95`.
    init(group: String, in texts: [String]) {
        for line in texts.joined(separator: "\n").split(separator: "\n") {
            let words = line.prefix { $0 != "#" }.split { $0 == " " || $0 == "\t" }
            // A hard limit alone does not help: libjack does not raise the soft limit to it.
            guard words.count == 4, words[0] == "@" + group || words[0] == "*",
                words[1] == "-" || words[1] == "soft"
            else { continue }
            let isUnlimited = ["unlimited", "infinity", "-1"].contains(words[3])
            switch words[2] {
            case "rtprio": allowsPriority = Int(words[3]).map { $0 > 0 } ?? isUnlimited
            case "memlock":
                // In KiB.
                allowsMemory = isUnlimited || Int(words[3]).map { $0 >= 131_072 } ?? false
            default: break
            }
        }
    }

    private static func files(matching pattern: String) -> [String] {
        var found = unsafe glob_t()
        defer { unsafe globfree(&found) }
        guard unsafe glob(pattern, 0, nil, &found) == 0 else { return [] }
        return unsafe (0..<Int(found.gl_pathc)).compactMap { index in
            unsafe found.gl_pathv[index].map { unsafe String(cString: $0) }
        }
    }
}
