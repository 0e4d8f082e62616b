import Glibc

/// Reads a small text file: about `limit` bytes of it at most, by default 64 KiB. Empty when the
/// file cannot be read.
package func readText(_ path: String, limit: Int = 65536) -> String {
    let file = unsafe open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { return "" }
    defer { close(file) }
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 4096)
    while bytes.count < limit {
        let count = unsafe read(file, &chunk, chunk.count)
        guard count > 0 else { break }
        bytes += chunk.prefix(count)
    }
    return String(decoding: bytes, as: UTF8.self)
}
