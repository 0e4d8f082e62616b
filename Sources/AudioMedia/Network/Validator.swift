import CCurl
import Glibc

/// What tells one version of a file from another, byte for byte (RFC 9110, 8.8).
enum Validator: Equatable {
    /// An ETag, with its quotes.
    case tag(String)
    /// A `Last-Modified`.
    case date(String)

    /// The best validator that a response offers: its ETag, unless that is a weak one, which may
    /// stand for different bytes; else its `Last-Modified`, if that is before its `Date`: within
    /// one second a file may change twice. Nil for none.
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

    /// Whether both are of one kind, and different.
    func contradicts(_ other: Validator) -> Bool {
        switch (self, other) {
        case (.tag(let one), .tag(let two)), (.date(let one), .date(let two)): one != two
        default: false
        }
    }
}
