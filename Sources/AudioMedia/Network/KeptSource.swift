import SystemSupport

/// The source of a stream whose window holds all of its bytes already: it delivers none.
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
    func seek(to offset: Int64) -> Bool { false }
    func stop() {}
    func wait(milliseconds: Int, descriptors: [Int32]) {
        _ = waitForInput(descriptors, milliseconds: milliseconds)
    }
    func advance() throws(SongError) -> [SourceNews] { [] }
}
