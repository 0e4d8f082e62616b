import SystemSupport

/// The bytes of a stream that its window holds from the first to the last: nothing has to come.
final class KeptSource: ByteSource {
    let size: Int64?
    let response: ResponseFacts?
    var isSeekable: Bool { true }
    var isAtEnd: Bool { true }
    var allowance = 0
    var speed: Double? { nil }

    init(size: Int64, response: ResponseFacts?) {
        self.size = size
        self.response = response
    }

    func start(at offset: Int64) {}
    func stop() {}
    func wait(milliseconds: Int, descriptors: [Int32]) {
        _ = waitForInput(descriptors, milliseconds: milliseconds)
    }
    func advance() throws(SongError) -> [SourceNews] { [] }
}
