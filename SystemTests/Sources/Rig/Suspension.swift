import Foundation

/// Stops a process (SIGSTOP), and returns when none of its threads runs any more: on a busy machine
/// they go on for some milliseconds.
public func suspend(_ process: Int32) {
    kill(process, SIGSTOP)
    let folder = "/proc/\(process)/task"
    let isStopped = poll {
        let threads = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return threads.allSatisfy { thread in
            // The state stands behind the name, which is in brackets (proc(5), stat).
            let facts = try? String(contentsOfFile: "\(folder)/\(thread)/stat", encoding: .utf8)
            guard let state = facts?.split(separator: ")").last?.dropFirst().first else {
                return true
            }
            return "TZX".contains(state)
        }
    }
    if !isStopped { print("process \(process) still runs 10 s after SIGSTOP") }
}
