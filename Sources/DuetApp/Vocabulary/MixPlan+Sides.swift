import AudioGraph

extension MixPlan {
    /// The mix with song and voice on other sides, and what that is, for people.
    ///
    /// From the centre the song goes to the right and all else to the left, then they change sides,
    /// then all is in the centre again. Pans that are anywhere else are mirrored. The pans themselves
    /// tell which of these comes.
    var withSidesSwapped: (mix: MixPlan, note: String) {
        let pans = vocabulary.parameters.filter { $0.name == .pan }
        func isSong(_ pan: MixParameter) -> Bool { pan.address == "/song/pan" }
        func stand(song: Double, others: Double) -> Bool {
            pans.allSatisfy { self[$0] == (isSong($0) ? song : others) }
        }
        func placing(song: Double, others: Double) -> MixPlan {
            var mix = self
            for pan in pans { mix[pan] = isSong(pan) ? song : others }
            return mix
        }
        if stand(song: 0, others: 0) {
            return (placing(song: 1, others: -1), sidesText(song: "right", others: "left"))
        }
        if stand(song: 1, others: -1) {
            return (placing(song: -1, others: 1), sidesText(song: "left", others: "right"))
        }
        if stand(song: -1, others: 1) { return (placing(song: 0, others: 0), "all in the centre") }
        var mirrored = self
        for pan in pans { mirrored[pan] = Pan(self[pan]).mirrored.position }
        return (mirrored, "sides swapped")
    }

    private func sidesText(song: String, others: String) -> String {
        let name: String? =
            switch second {
            case .nothing: nil
            case .mic: "microphone"
            case .mics: "microphones"
            case .song: "second song"
            }
        return "song \(song)" + (name.map { ", \($0) \(others)" } ?? "")
    }
}
