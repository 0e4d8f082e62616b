import Foundation

/// Memory of this process that is no file's, in bytes.
public func anonymousMemory() -> Int {
    let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
    let line = status.split(separator: "\n").first { $0.hasPrefix("RssAnon:") } ?? ""
    return Int(line.filter(\.isNumber))! << 10
}
