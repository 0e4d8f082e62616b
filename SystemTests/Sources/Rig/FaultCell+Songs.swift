extension FaultCell {
    /// Makes the cell for one fault at one moment of a song.
    struct Maker {
        typealias Step = FaultServer.Step
        typealias Request = FaultServer.Request

        let fault: Fault
        let moment: Fault.Moment
        let files: FaultFiles

        private var bytes: [UInt8] { files.song }

        /// How many bytes of the song come before the fault: part of its header frame, half of the
        /// song, or all but a part of its last frame.
        var cut: Int {
            switch moment {
            case .before: 100
            case .during: bytes.count / 2 + 17
            case .end: bytes.count - 50
            }
        }

        func cell(
            _ outcome: Outcome, file: [UInt8]? = nil, cut: Int? = nil,
            script: @escaping @Sendable (Request) -> [Step]
        ) -> FaultCell {
            FaultCell(
                fault: fault, moment: moment, outcome: outcome, file: file ?? bytes,
                parts: [file ?? bytes], cut: cut ?? self.cut, script: script)
        }

        func none(_ reason: String) -> FaultCell { cell(.none(reason: reason)) { _ in [] } }

        /// The right bytes, but not all at once; duet should report nothing.
        func paced(_ pace: @escaping @Sendable ([UInt8], [UInt8]) -> [Step]) -> FaultCell {
            let (bytes, cut) = (bytes, cut)
            return cell(.whole()) { _ in
                .head(count: bytes.count) + pace(Array(bytes[..<cut]), Array(bytes[cut...]))
            }
        }

        /// The first answer ends with `steps`: in place of its head, in the middle, or in the last
        /// frame.
        func broken(by steps: [Step], saying reason: String) -> FaultCell {
            let (bytes, cut, moment) = (bytes, cut, moment)
            return cell(.whole(saying: reason)) { request in
                guard request.number == 0 else { return .file(bytes, to: request) }
                guard moment != .before else { return steps }
                return .head(count: bytes.count) + [.bytes(Array(bytes[..<cut]))] + steps
            }
        }

        /// A cut; the request after it gets `answer` for the byte it asks for.
        func resumed(_ answer: @escaping @Sendable (Int) -> [Step]) -> FaultCell {
            let (bytes, cut) = (bytes, cut)
            return cell(.whole(saying: "the connection broke")) { request in
                switch request.number {
                case 0: .head(count: bytes.count) + [.bytes(Array(bytes[..<cut]))]
                case 1: request.rangeStart.map(answer) ?? .file(bytes, to: request)
                default: .file(bytes, to: request)
                }
            }
        }

        /// A cut; every later request gets `answer`, which is of another file.
        func changed(_ answer: @escaping @Sendable (Int) -> [Step]) -> FaultCell {
            let (bytes, cut) = (bytes, cut)
            return cell(.lost(code: moment == .before ? 66 : 74, saying: "changed")) { request in
                guard request.number > 0 else {
                    return .head(count: bytes.count) + [.bytes(Array(bytes[..<cut]))]
                }
                return answer(request.rangeStart ?? 0)
            }
        }

        /// The first request, or the first one after a cut, gets `steps`; so do the requests after
        /// it, up to the first for whose number `until` is true. From then on all is well.
        private func instead(
            _ steps: [Step], _ outcome: Outcome, until: @escaping @Sendable (Int) -> Bool
        ) -> FaultCell {
            let (bytes, cut, first) = (bytes, cut, moment == .before ? 0 : 1)
            return cell(outcome, cut: moment == .before ? 0 : cut) { request in
                if request.number < first {
                    .head(count: bytes.count) + [.bytes(Array(bytes[..<cut]))]
                } else if until(request.number - first) {
                    .file(bytes, to: request)
                } else {
                    steps
                }
            }
        }

        /// An answer after which the song is given up.
        func refused(
            with steps: [Step], saying reason: String,
            until: @escaping @Sendable (Int) -> Bool = { $0 > 0 }
        ) -> FaultCell {
            instead(
                steps, .lost(code: moment == .before ? 66 : 74, saying: reason), until: until)
        }

        /// An answer after which the same is asked for again.
        func delayed(by steps: [Step], _ status: String) -> FaultCell {
            instead(steps, .whole(saying: status)) { $0 > 0 }
        }
    }
}
