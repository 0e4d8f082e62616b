extension SongWorker {
    /// One round: what has come is taken, decoded, and put into the ring.
    func work(isDemanded: Bool) throws(SongError) {
        let ahead = Int(window.end - decoder.inputOffset)
        if ahead <= job.limits.readAhead * 3 / 4 || source.allowance > 0 {
            source.allowance = max(0, job.limits.readAhead - ahead)
        }
        if let news = try source.advance() {
            switch news {
            case .retrying(let attempt, let reason, let delay):
                job.control.emit(.reconnecting(attempt: attempt, reason: reason, delay: delay))
            }
        }
        if let size = source.size { decoder.setSize(size) }
        // A ring that is nearly full is left alone: few long strides cost less than many short.
        guard isDemanded || !isReleased || job.feed.space >= job.feed.capacity / 4 else { return }
        do throws(DecoderError) { try produce() } catch { throw translate(error) }
    }

    /// Decodes until the ring is full or no byte is left.
    private func produce() throws(DecoderError) {
        isStarved = false
        guard job.feed.isFlushed else { return }
        while !isFinished {
            if converter != nil { push() }
            if isDecoded && converter?.count ?? 0 == 0 {
                finishFeed()
            } else if converter?.count ?? 0 > 0 {
                return
            } else if try !decode() {
                isStarved = true
                return
            }
        }
    }

    /// Moves frames from the converter into the ring.
    private func push() {
        if skip > 0, let waiting = converter?.count {
            let count = Int(min(skip, Int64(waiting)))
            converter?.discard(count)
            skip -= Int64(count)
            nextFrame += Int64(count)
        }
        guard skip == 0 else { return }
        unsafe converter?.take(job.feed.space) { frames, count in
            unsafe job.feed.push(frames, count: count, at: nextFrame)
            nextFrame += Int64(count)
        }
    }

    /// One step of decoding; false when it needs bytes that have not come.
    private func decode() throws(DecoderError) -> Bool {
        guard let base = unsafe block.baseAddress else { return false }
        switch unsafe try decoder.read(into: base, capacity: block.count / 2) {
        case .frames(let count):
            unsafe converter?.append(base, count: count)
        case .newFormat:
            if converter == nil {
                converter = FrameConverter(
                    inputRate: decoder.sampleRate, outputRate: job.feed.sampleRate)
                announce()
                if let seconds = pendingSeek {
                    pendingSeek = nil
                    do throws(SongError) { try seek(to: seconds, isFirst: true) } catch {
                        throw .library(error.message)
                    }
                }
            } else {
                converter?.changeInputRate(to: decoder.sampleRate)
            }
        case .needsInput:
            let bytes = window.bytes(at: decoder.inputOffset, limit: 16_384)
            if !bytes.isEmpty {
                let result: Result<Void, DecoderError> = unsafe bytes.withUnsafeBytes { bytes in
                    do throws(DecoderError) {
                        return .success(unsafe try decoder.feed(bytes))
                    } catch {
                        return .failure(error)
                    }
                }
                try result.get()
            } else if source.isAtEnd {
                try decoder.end()
            } else {
                return false
            }
        case .ended:
            converter?.drain()
            isDecoded = true
        }
        return true
    }
}
