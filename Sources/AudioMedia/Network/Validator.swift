import CCurl
import Glibc

/// What tells one version of a file from another, byte for byte (RFC 9110, 8.8).
enum Validator: Equatable {
    /// An ETag, with its quotes.
    case tag(String)
    /// A `Last-Modified`.
    case date(String)

    /// The best that a response offers: an ETag, unless it is a weak one, which stands for other
    /// bytes too; else its date of change, if the file had been at rest for a second when it was
    /// sent: within that second it may have been changed twice. Nil for none.
    init?(header: (String) -> String?) {
        if let tag = header("ETag"), tag.hasPrefix("\"") {
            self = .tag(tag)
        } else if let text = header("Last-Modified"), let sent = header("Date"),
            case let changed = unsafe curl_getdate(text, nil), changed >= 0,
            unsafe curl_getdate(sent, nil) > changed
        {
            self = .date(text)
        } else {
            return nil
        }
    }

    /// What it is called in `If-Range`.
    var text: String {
        switch self {
        case .tag(let text), .date(let text): text
        }
    }

    /// Whether both are known, of one kind, and not the same.
    func contradicts(_ other: Validator?) -> Bool {
        switch (self, other) {
        case (.tag(let one), .tag(let two)), (.date(let one), .date(let two)): one != two
        default: false
        }
    }
}
