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
    /// A change that waits for its frame.
    struct Scheduled {
        let id: Int
        let frame: Int
        let address: ParameterAddress
        let value: Double
        let ramp: Int32
        let origin: String
        var entry: EditQueue.Entry?
    }

    private unowned let unit: AudioNode
    private var values: [ParameterAddress: Double] = [:]
    /// Changes that listeners have not heard of, and who made them.
    private var untold: [(address: ParameterAddress, origin: String)] = []
    /// The earliest first.
    private var scheduled: [Scheduled] = []
    private var scheduledCount = 0

    init(of unit: AudioNode) { self.unit = unit }

    /// All values that were set.
    var all: [ParameterAddress: Double] {
        settle()
        return values
    }

    /// How many changes wait for their frame.
    var waitingCount: Int {
        settle()
        return scheduled.count
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
        return values[address] ?? description.defaultValue
    }

    /// The value that was set, or the default of a parameter that exists.
    subscript(address: ParameterAddress) -> Double {
        settle()
        return values[address] ?? defaultValue(of: address)
    }

    private func defaultValue(of address: ParameterAddress) -> Double {
        unit.declarations[address.name, address.scope]?.description.defaultValue ?? 0
    }

    func set(
        _ address: ParameterAddress, to value: Double, by origin: String
    ) throws(ParameterError) {
        _ = try check(address, value)
        change(address, to: value, by: origin)
    }

    /// Sets a value that is within the range.
    func change(_ address: ParameterAddress, to value: Double, by origin: String = "") {
        let old = self[address]
        guard old != value else { return }
        guard let graph = unit.graph else { return put(value, at: address, by: origin) }
        graph.step {
            let news = untold
            put(value, at: address, by: origin)
            graph.note(unit, address, by: origin) { [self] in
                values[address] = old
                unit.apply(address)
                untold = news
            }
        }
    }

    private func put(_ value: Double, at address: ParameterAddress, by origin: String) {
        values[address] = value
        noteNews(address, by: origin)
        unit.apply(address)
    }

    /// Sets a value, which is brought into the range, as typed properties do.
    func change(
        _ address: ParameterAddress, toNearest value: Double, _ description: ParameterDescription
    ) {
        change(address, to: description.nearest(to: value))
    }

    /// Forgets the values of an element that is removed, in a step of an edit.
    func forget(_ scope: Scope, element: Int) {
        func isConcerned(_ address: ParameterAddress) -> Bool {
            address.scope == scope && address.element == element
        }
        let restore = restorer()
        let waiting = scheduled.filter { isConcerned($0.address) }
        giveUp(in: unit.graph, where: isConcerned)
        values = values.filter { !isConcerned($0.key) }
        untold.removeAll { isConcerned($0.address) }
        unit.graph?.undo { [self] in
            restore()
            for change in waiting { insert(change) }
        }
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
        deliveries(for: address, ramp: rampFrames(of: address)) { self[$0] }
    }

    private func deliveries(
        for address: ParameterAddress, ramp: Int32, _ value: (ParameterAddress) -> Double
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
        settle()
        let frame = max(frame, graph.renderedFrames)
        guard !deliveries(for: address).isEmpty else {
            throw .notSchedulable(unit: unit.name, address)
        }
        guard graph.waitingChanges < Graph.mostWaitingChanges else {
            throw .scheduleIsFull(limit: Graph.mostWaitingChanges)
        }
        scheduledCount += 1
        let change = Scheduled(
            id: scheduledCount, frame: frame, address: address, value: value,
            ramp: ramp.map { Int32(clamping: max(0, $0)) } ?? rampFrames(of: address),
            origin: origin)
        graph.step {
            insert(change)
            graph.schedule(unit, address, at: frame) { [self] in
                scheduled.removeAll { $0.id == change.id }
            }
        }
    }

    /// After those of the same frame.
    private func insert(_ change: Scheduled) {
        let place = scheduled.firstIndex { $0.frame > change.frame } ?? scheduled.count
        scheduled.insert(change, at: place)
    }

    /// Hands changes that wait to the render thread anew, as they are when all before them are made:
    /// those that share a slot with `address`, whose value has changed.
    func redesign(from frame: Int = .min, sharingSlotsOf address: ParameterAddress) {
        guard !scheduled.isEmpty, let graph = unit.graph else { return }
        let slots = Set(deliveries(for: address).map { ObjectIdentifier($0.slot) })
        for place in scheduled.indices where scheduled[place].frame >= frame {
            let change = scheduled[place]
            var later = values
            for before in scheduled where before.frame <= change.frame {
                later[before.address] = before.value
            }
            let deliveries = deliveries(for: change.address, ramp: change.ramp) {
                later[$0] ?? defaultValue(of: $0)
            }
            let isConcerned = deliveries.contains { slots.contains(ObjectIdentifier($0.slot)) }
            guard change.entry == nil || isConcerned else { continue }
            scheduled[place].entry = graph.hand(
                deliveries,
                ParameterNote(unit, change.address, value: change.value, origin: change.origin),
                at: change.frame, replacing: change.entry)
        }
    }

    /// Gives up what waits for its frame in `graph`, where `isConcerned`.
    func giveUp(in graph: Graph?, where isConcerned: (ParameterAddress) -> Bool) {
        settle()
        for change in scheduled where isConcerned(change.address) {
            if let entry = change.entry { graph?.giveUp(entry) }
        }
        scheduled.removeAll { isConcerned($0.address) }
    }

    /// Takes over the values of changes that were made; those of which an edit hears while it is made
    /// come after it.
    func settle() {
        guard !(unit.graph?.isEdited ?? false) else { return }
        while let first = scheduled.first, first.entry?.heldFrom != nil {
            scheduled.removeFirst()
            values[first.address] = first.value
            noteNews(first.address, by: first.origin)
        }
    }

    // MARK: Listeners

    private func noteNews(_ address: ParameterAddress, by origin: String) {
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
