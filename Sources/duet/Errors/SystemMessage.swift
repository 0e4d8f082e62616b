import Glibc

/// The system's words for the error number `code`.
func systemMessage(_ code: Int32) -> String {
    String(cString: strerror(code))
}
