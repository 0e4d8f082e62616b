import Glibc

/// The system's words for an errno, as `No such file or directory`.
func errorText(_ code: Int32) -> String {
    guard let text = unsafe strerror(code) else { return "error \(code)" }
    return unsafe String(cString: text)
}

/// A variable of the environment; nil when it is absent or empty.
func environmentValue(_ name: String) -> String? {
    guard let value = unsafe getenv(name) else { return nil }
    let text = unsafe String(cString: value)
    return text.isEmpty ? nil : text
}

/// A small text file of the system, at most 64 KiB of it; empty when it cannot be read.
func readText(_ path: String) -> String {
    let file = unsafe open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { return "" }
    defer { close(file) }
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 4096)
    while bytes.count < 65536 {
        let count = unsafe read(file, &chunk, chunk.count)
        guard count > 0 else { break }
        bytes += chunk.prefix(count)
    }
    return String(decoding: bytes, as: UTF8.self)
}
