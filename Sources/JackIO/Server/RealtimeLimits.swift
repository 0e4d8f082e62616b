import CJack
import Glibc
import SystemSupport

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
