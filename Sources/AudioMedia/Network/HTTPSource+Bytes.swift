/// What becomes of the bytes of an answer.
extension HTTPSource {
    /// Compares the audio in `bytes` with what is kept, and puts what is new into the window.
    func take(_ bytes: UnsafeRawBufferPointer, at now: Double) {
        guard let offset = bodyOffset else { return }
        var known = 0
        if question.purpose == .check {
            known = bytes.count
        } else if judge.kind != .live {
            known = Int(min(max(position - offset, 0), Int64(bytes.count)))
        }
        bodyOffset = offset + Int64(bytes.count)
        if known > 0 {
            let again = unsafe UnsafeRawBufferPointer(rebasing: bytes.prefix(known))
            let difference = unsafe difference(of: again, at: offset)
            switch judge.judge(
                comparedTo: offset + Int64(known), isEqual: difference == nil)
            {
            case .goOn: break
            case .join:
                beLive()
                bodyOffset = position
                let equal = offset + Int64(difference ?? known)
                unsafe judge.beginning.prefix(Int(equal)).withUnsafeBytes {
                    unsafe add($0, at: now)
                }
                return unsafe add(
                    UnsafeRawBufferPointer(rebasing: bytes.dropFirst(difference ?? known)), at: now)
            case .refuse(let fault): return interruption = .fault(fault)
            }
        }
        unsafe add(UnsafeRawBufferPointer(rebasing: bytes.dropFirst(known)), at: now)
    }

    /// Where `bytes`, which begin at the song's byte `offset`, differ from what is kept; nil where
    /// they do not.
    private func difference(of bytes: UnsafeRawBufferPointer, at offset: Int64) -> Int? {
        var index = 0
        while index < bytes.count {
            let place = offset + Int64(index)
            let left = bytes.count - index
            let kept =
                place < judge.beginning.count
                ? judge.beginning[Int(place)...].prefix(left)
                : window.bytes(at: place, limit: left)
            if kept.isEmpty {
                guard place < window.start else { return nil }
                index += Int(min(window.start - place, Int64(left)))
                continue
            }
            let part = unsafe UnsafeRawBufferPointer(
                rebasing: bytes[index..<(index + kept.count)])
            if unsafe !kept.withUnsafeBytes({ unsafe $0.elementsEqual(part) }) {
                let pairs = unsafe zip(part, kept).enumerated()
                return unsafe pairs.first { $1.0 != $1.1 }.map { index + $0.offset }
            }
            index += kept.count
        }
        return nil
    }

    /// Puts new audio into the window.
    private func add(_ bytes: UnsafeRawBufferPointer, at now: Double) {
        guard unsafe !bytes.isEmpty else { return }
        if judge.kind == .live && judge.hasStarted && position == askedPosition {
            news.append(.spliced(at: position))
        }
        unsafe window.append(bytes)
        unsafe judge.note(bytes, at: position)
        position += Int64(bytes.count)
        allowance -= bytes.count
        freshBytes += bytes.count
        if freshBytes >= enoughBytes { attempt = 0 }
        drySince = nil
        noteProgress(at: now)
    }

    /// New bytes on one connection after which the next break begins with the shortest pause again: a
    /// server that sends little and breaks off is asked more and more rarely.
    private var enoughBytes: Int { max(16_384, 2 * 125 * (response?.station?.bitrate ?? 0)) }
}
