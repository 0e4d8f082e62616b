/// What the head of an answer says of the stream after it. All nil for a file.
struct ResponseFacts: Equatable {
    /// The media type in lower case, without its parameters.
    var contentType: String?
    /// The address that answered, after all redirects. Not to be shown: it may hold a password.
    var address: String?
    /// The station that sends it; nil when it is no live stream.
    var station: Station?
}
