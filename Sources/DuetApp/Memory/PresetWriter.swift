import SystemSupport

/// Saves presets of the user's own. A disk that is slow holds nobody up: what becomes of the preset is told
/// later then.
///
/// Main thread.
final class PresetWriter {
    /// How long the disk is waited for, in seconds: longer than a disk takes that does nothing else,
    /// and too short to be noticed.
    private static let wait = 0.02
    /// How long it may take, in seconds, until it is told that it does not respond.
    private static let patience = 2.0

    /// Nil for a user without a home.
    private let folder: PresetFolder?
    private let writing = PendingCall<String>()
    /// What is being saved, and when it is told that the disk does not respond, in seconds of the clock.
    private var present: (name: String, end: Double)?
    /// What was wrong with one before that; nil: nothing.
    private var earlier: Refusal?

    init(_ folder: PresetFolder? = .own) { self.folder = folder }

    /// Saves a preset; throws why it cannot be saved, as far as the disk says so at once.
    func save(_ preset: OwnPreset) throws(Refusal) {
        guard let folder else {
            throw Refusal(reason: "this user has no home to keep presets in")
        }
        try OwnPreset.check(name: preset.name, of: preset.kind)
        // One that is done makes room; what was wrong with it is told all the same.
        if let refusal = take(seconds: Self.wait) { earlier = refusal }
        do throws(BoundedCall.Failure) {
            try writing.start { folder.write(preset) }
        } catch {
            throw Self.refusal(
                preset.name,
                {
                    switch error {
                    case .notBegun(let code): "no thread can be made: \(errorText(code))"
                    case .busy, .unanswered: "\(folder.path) is still not responding"
                    }
                }())
        }
        guard let problem = writing.finish(seconds: Self.wait) else {
            return present = (preset.name, Clock.seconds + Self.patience)
        }
        if !problem.isEmpty { throw Self.refusal(preset.name, problem) }
    }

    /// Readable when `take` has something; nil: nothing is being saved.
    var descriptor: Int32? { writing.descriptor }

    /// Seconds until `take` has something to do in any case.
    var secondsLeft: Double {
        earlier == nil ? (present?.end ?? .infinity) - Clock.seconds : 0
    }

    /// What went wrong with a preset that took longer; nil: nothing so far.
    ///
    /// - Parameter waits: whether to wait for the disk as long as it may take.
    func take(waits: Bool = false) -> Refusal? {
        if let refusal = earlier {
            earlier = nil
            return refusal
        }
        let end = present?.end ?? .infinity
        return take(seconds: waits && end < .infinity ? end - Clock.seconds : 0)
    }

    private func take(seconds: Double) -> Refusal? {
        guard let (name, end) = present else { return nil }
        guard let problem = writing.finish(seconds: seconds) else {
            guard let folder, Clock.seconds >= end else { return nil }
            present = (name, .infinity)
            return Self.refusal(name, "\(folder.path) is not responding")
        }
        present = nil
        return problem.isEmpty ? nil : Self.refusal(name, problem)
    }

    private static func refusal(_ name: String, _ problem: String) -> Refusal {
        Refusal(reason: "cannot save the preset '\(name)': \(problem)")
    }
}
