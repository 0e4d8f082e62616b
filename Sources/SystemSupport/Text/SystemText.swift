import Glibc

/// The system's text for an errno, like `No such file or directory`.
package func errorText(_ code: Int32) -> String {
    guard let text = unsafe strerror(code) else { return "error \(code)" }
    return unsafe String(cString: text)
}

/// The value of an environment variable; nil when it is absent or empty.
@usableFromInline
package func environmentValue(_ name: String) -> String? {
    guard let value = unsafe getenv(name) else { return nil }
    let text = unsafe String(cString: value)
    return text.isEmpty ? nil : text
}

/// The name of the file that this program was run from; of its letters only those that any name of
/// a file and any header of HTTP may hold.
package let programName: String = {
    let file = CommandLine.arguments.first?.split(separator: "/").last ?? ""
    let name = file.unicodeScalars.filter {
        ("a"..."z").contains($0) || ("A"..."Z").contains($0) || ("0"..."9").contains($0)
            || "-._".unicodeScalars.contains($0)
    }
    return name.isEmpty ? "program" : String(String.UnicodeScalarView(name))
}()
