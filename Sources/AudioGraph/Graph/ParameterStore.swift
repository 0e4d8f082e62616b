/// A change of a parameter, as listeners hear of it.
public struct ParameterChange: @unchecked Sendable {
    // Safety: `unit` tells which one it is, to any thread; it is used where the graph is used.

    /// The unit, to be used where its graph is used.
    public let unit: AudioNode
    public let address: ParameterAddress
    /// The value that holds.
    public let value: Double
    /// Who made the change, as they named themselves; empty when they did not.
    public let origin: String
    /// The frame from which the value holds, counted as `Graph.renderedFrames`; nil for those who
    /// hear of changes before they are heard.
    public let frame: Int?
}

/// The values of a unit's parameters. Every way to change one leads here. Control thread.
final class ParameterStore {
    private unowned let unit: AudioNode
    private var values: [ParameterAddress: Double] = [:]
    /// Until which frame ramps last that are longer than their parameters' own.
    private var rampEnds: [ParameterAddress: Int] = [:]
    /// Changes that listeners have not heard of, and who made them.
    private var untold: [(address: ParameterAddress, origin: String)] = []

    init(of unit: AudioNode) { self.unit = unit }

    /// All values that were set.
    var all: [ParameterAddress: Double] {
        settle()
        return values
    }

    /// The parameter at `address`; throws where there is none.
    func description(
        of address: ParameterAddress
    ) throws(ParameterError) -> ParameterDescription {
        guard let found = unit.declarations[address.name, address.scope] else {
            throw .noSuchParameter(unit: unit.name, address)
        }
        guard 0..<unit.elementCount(in: address.scope) ~= address.element else {
            throw .noSuchElement(unit: unit.name, address)
        }
        return found.description
    }

    func value(of address: ParameterAddress) throws(ParameterError) -> Double {
        let found = try description(of: address)
        return found.isReadOnly ? unit.reading(of: address) : self[address, found]
    }

    /// The value of the parameter that `description` describes.
    subscript(address: ParameterAddress, description: ParameterDescription) -> Double {
        settle()
        return unit.graph?.value(waitingFor: unit, address) ?? values[address]
            ?? description.defaultValue
    }

    /// The value that was set, or the default of a parameter that exists; in an edit at a frame the
    /// one that holds there.
    subscript(address: ParameterAddress) -> Double {
        settle()
        return unit.graph?.value(waitingFor: unit, address) ?? held(address)
    }

    /// The value that was set last, whatever waits.
    func held(_ address: ParameterAddress) -> Double {
        values[address] ?? unit.declarations[address.name, address.scope]?.description.defaultValue
            ?? 0
    }

    func set(
        _ address: ParameterAddress, to value: Double, by origin: String
    ) throws(ParameterError) {
        _ = try check(address, value)
        change(address, to: value, by: origin)
    }

    /// Sets a value that is within the range.
    func change(_ address: ParameterAddress, to value: Double, by origin: String = "") {
        // At a frame that comes it may be another value by then.
        let isFrame = unit.graph?.transaction?.frame != nil
        guard self[address] != value || isFrame || isMoving(address) else { return }
        rampEnds[address] = nil
        let old = values[address]
        func put(_ value: Double?) {
            values[address] = value
            unit.apply(address)
        }
        guard let graph = unit.graph else {
            put(value)
            return noteNews(address, by: origin)
        }
        graph.edit {
            put(value)
            graph.note(note(address, value, rampFrames(of: address), origin, old: old)) {
                put(old)
            }
        }
    }

    /// Whether a long ramp to the value is under way, which a new change to the same value cuts short.
    private func isMoving(_ address: ParameterAddress) -> Bool {
        guard let end = rampEnds[address], let graph = unit.graph else { return false }
        if graph.renderedFrames >= end { rampEnds[address] = nil }
        return graph.renderedFrames < end
    }

    private func note(
        _ address: ParameterAddress, _ value: Double, _ ramp: Int32, _ origin: String,
        old: Double? = nil
    ) -> ParameterNote {
        var note = ParameterNote(unit, address, value: value, ramp: ramp, origin: origin)
        note.old = old
        return note
    }

    /// Sets a value, which is brought into the range, as typed properties do.
    func change(
        _ address: ParameterAddress, toNearest value: Double, _ description: ParameterDescription
    ) {
        change(address, to: description.nearest(to: value))
    }

    /// Forgets the values of an element that is removed, in a step of an edit, and what waits for it.
    func forget(_ scope: Scope, element: Int) {
        func isConcerned(_ address: ParameterAddress) -> Bool {
            address.scope == scope && address.element == element
        }
        let (restore, id) = (restorer(), ObjectIdentifier(unit))
        values = values.filter { !isConcerned($0.key) }
        untold.removeAll { isConcerned($0.address) }
        unit.graph?.undo(restore)
        unit.graph?.forgetNotes { $0.unit == id && isConcerned($0.address) }
    }

    /// Brings back the values as they are now.
    func restorer() -> () -> Void {
        settle()
        return { [self, values, untold] in (self.values, self.untold) = (values, untold) }
    }

    private func check(
        _ address: ParameterAddress, _ value: Double
    ) throws(ParameterError) -> ParameterDescription {
        let found = try description(of: address)
        guard !found.isReadOnly else { throw .readOnly(unit: unit.name, address) }
        guard found.accepts(value) else {
            throw .outOfRange(unit: unit.name, address, value: value, range: found.range)
        }
        return found
    }

    // MARK: To the render thread

    /// What the render thread gets for the present value of `address`.
    func deliveries(for address: ParameterAddress) -> [ParameterDelivery] {
        deliveries(of: address, ramp: rampFrames(of: address)) { held($0) }
    }

    /// What the render thread gets for a value of `address`, in a ramp of so many frames.
    func deliveries(
        of address: ParameterAddress, ramp: Int32, _ value: (ParameterAddress) -> Double
    ) -> [ParameterDelivery] {
        guard let rendering = unit.rendering else { return [] }
        return unit.deliveries(for: address, value).compactMap { key, floats in
            rendering.slots[key].map { ParameterDelivery(slot: $0, floats: floats, ramp: ramp) }
        }
    }

    private func rampFrames(of address: ParameterAddress) -> Int32 {
        let declared = unit.declarations[address.name, address.scope]
        return Ramp.length(
            milliseconds: declared?.description.ramp ?? 0,
            sampleRate: unit.rendering?.sampleRate ?? 0)
    }

    // MARK: At a frame

    func schedule(
        _ address: ParameterAddress, to value: Double, at frame: Int, ramp: Int?,
        by origin: String
    ) throws(ParameterError) {
        _ = try check(address, value)
        guard let graph = unit.graph else { throw .notInGraph(unit: unit.name) }
        let note = note(
            address, value, ramp.map { Int32(clamping: max(0, $0)) } ?? rampFrames(of: address),
            origin)
        guard note.isDelivered else { throw .notSchedulable(unit: unit.name, address) }
        guard unit.takesRamp(address.name) || ramp ?? 0 <= 0 else {
            throw .notRampable(unit: unit.name, address)
        }
        guard graph.waitingChanges < Graph.mostWaitingChanges else {
            throw .scheduleIsFull(limit: Graph.mostWaitingChanges)
        }
        graph.edit { graph.schedule(note, at: frame) }
    }

    /// Takes over a value that waited for its frame, and holds.
    func hold(_ note: ParameterNote) {
        guard note.isDelivered else { return }
        values[note.address] = note.value
        if let graph = unit.graph, note.ramp > rampFrames(of: note.address) {
            rampEnds[note.address] = graph.renderedFrames + Int(note.ramp)
        }
        noteNews(note.address, by: note.origin)
    }

    /// Takes a value back that waits for its frame.
    func wait(_ note: ParameterNote) {
        if note.isDelivered { values[note.address] = note.old }
    }

    /// Takes over the values of changes that were made; those of which an edit hears while it is made
    /// come after it.
    private func settle() {
        if let graph = unit.graph, !graph.isEdited { graph.gather() }
    }

    // MARK: Listeners

    func noteNews(_ address: ParameterAddress, by origin: String) {
        untold.removeAll { $0.address == address }
        untold.append((address, origin))
    }

    /// The changes since the last call, each parameter once.
    func takeNews() -> [ParameterChange] {
        settle()
        let news = untold
        untold = []
        return news.map {
            ParameterChange(
                unit: unit, address: $0.address, value: self[$0.address], origin: $0.origin,
                frame: nil)
        }
    }
}
