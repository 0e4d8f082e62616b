import Glibc

/// The system's words for an errno, as `No such file or directory`.
package func errorText(_ code: Int32) -> String {
    guard let text = unsafe strerror(code) else { return "error \(code)" }
    return unsafe String(cString: text)
}

/// A variable of the environment; nil when it is absent or empty.
@usableFromInline
package func environmentValue(_ name: String) -> String? {
    guard let value = unsafe getenv(name) else { return nil }
    let text = unsafe String(cString: value)
    return text.isEmpty ? nil : text
}
