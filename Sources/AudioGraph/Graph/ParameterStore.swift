/// A change of a parameter, as listeners hear of it.
public struct ParameterChange {
    public let unit: AudioNode
    public let address: ParameterAddress
    /// The value that holds now.
    public let value: Double
    /// Who made the change, as they named themselves; empty when they did not.
    public let origin: String
}

/// The values of a unit's parameters. Every way to change one leads here. Control thread.
final class ParameterStore {
    /// A change that waits for its frame.
    private struct Scheduled {
        let frame: Int
        let address: ParameterAddress
        let value: Double
        let ramp: Int32
        let origin: String
    }

    private unowned let unit: AudioNode
    private var values: [ParameterAddress: Double] = [:]
    /// Changes that listeners have not heard of, and who made them.
    private var untold: [(address: ParameterAddress, origin: String)] = []
    /// The earliest first.
    private var scheduled: [Scheduled] = []
    /// Whether the render thread could not be given all of `scheduled` as it is now.
    private var isBehind = false

    init(of unit: AudioNode) { self.unit = unit }

    /// The parameter at `address`; throws where there is none.
    func description(
        of address: ParameterAddress
    ) throws(ParameterError) -> ParameterDescription {
        guard let found = unit.unit.parameter(address.name, scope: address.scope) else {
            throw .noSuchParameter(unit: unit.name, address)
        }
        guard 0..<unit.elementCount(in: address.scope) ~= address.element else {
            throw .noSuchElement(unit: unit.name, address)
        }
        return found
    }

    func value(of address: ParameterAddress) throws(ParameterError) -> Double {
        let found = try description(of: address)
        return found.isReadOnly ? unit.reading(of: address) : self[address]
    }

    /// The value that was set, or the default of a parameter that exists.
    subscript(address: ParameterAddress) -> Double {
        settle()
        return values[address]
            ?? unit.unit.parameter(address.name, scope: address.scope)?.defaultValue ?? 0
    }

    func set(
        _ address: ParameterAddress, to value: Double, by origin: String
    ) throws(ParameterError) {
        _ = try check(address, value)
        change(address, to: value, by: origin)
    }

    /// As `set`, for typed properties, whose values are within the range.
    func change(_ address: ParameterAddress, to value: Double, by origin: String = "") {
        guard self[address] != value else { return }
        values[address] = value
        note(address, by: origin)
        deliver(address)
    }

    /// As `change`, for typed properties that take any value: it is brought to the nearest end of the
    /// range; what is no number becomes the default.
    func change(_ address: ParameterAddress, toNearest value: Double) {
        guard let found = unit.unit.parameter(address.name, scope: address.scope) else { return }
        let (low, high) = (found.range.lowerBound, found.range.upperBound)
        change(address, to: value.isNaN ? found.defaultValue : min(max(value, low), high))
    }

    /// A parameter of the whole unit, for typed properties: any value may be set, and is brought into
    /// the range (`change(_:toNearest:)`).
    subscript(name: ParameterName) -> Double {
        get { self[ParameterAddress(name)] }
        set { change(ParameterAddress(name), toNearest: newValue) }
    }

    /// As `subscript(name:)`, for a parameter in decibels.
    subscript(decibels name: ParameterName) -> Decibels {
        get { Decibels(self[name]) }
        set { self[name] = newValue.value }
    }

    /// As `subscript(name:)`, for a switch.
    subscript(isOn name: ParameterName) -> Bool {
        get { self[name] != 0 }
        set { self[name] = newValue ? 1 : 0 }
    }

    /// Sets a first value, of which nobody is told.
    func begin(_ address: ParameterAddress, at value: Double) {
        values[address] = value
        deliver(address)
    }

    /// Forgets the values of an element that is removed.
    func forget(_ scope: Scope, element: Int) {
        giveUp { $0.scope == scope && $0.element == element }
        values = values.filter { $0.key.scope != scope || $0.key.element != element }
        untold.removeAll { $0.address.scope == scope && $0.address.element == element }
    }

    /// Gives the render thread the value of `address` once more: what it depends on has changed.
    func deliver(_ address: ParameterAddress) {
        let ramp = rampFrames(of: address)
        let deliveries = unit.deliveries(for: address) { self[$0] }
        for delivery in deliveries {
            unsafe delivery.mailbox.pointer.pointee.post(delivery.floats, ramp: ramp)
        }
        unit.apply(address)
        // What waits for its frame was designed with the old value.
        for change in scheduled { hand(change, sharing: deliveries) }
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

    private func rampFrames(of address: ParameterAddress) -> Int32 {
        let milliseconds = unit.unit.parameter(address.name, scope: address.scope)?.ramp ?? 0
        return Ramp.length(
            milliseconds: milliseconds, sampleRate: unit.graph?.sampleRate ?? unit.sampleRate ?? 0)
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
        let deliveries = unit.deliveries(for: address) { self[$0] }
        guard !deliveries.isEmpty else { throw .notSchedulable(unit: unit.name, address) }
        guard graph.scheduled.space >= deliveries.count + Schedule.limit else {
            throw .scheduleIsFull(limit: Schedule.limit)
        }
        let change = Scheduled(
            frame: frame, address: address, value: value,
            ramp: ramp.map { Int32(clamping: max(0, $0)) } ?? rampFrames(of: address),
            origin: origin)
        // After those of the same frame.
        let place = scheduled.firstIndex { $0.frame > frame } ?? scheduled.count
        scheduled.insert(change, at: place)
        // Later ones were designed without it.
        for later in scheduled[place...] { hand(later, sharing: deliveries) }
    }

    /// Gives the render thread a change that waits, as it will be when all before it are made: as
    /// far as it concerns a mailbox of `deliveries`.
    private func hand(_ change: Scheduled, sharing deliveries: [ParameterDelivery]) {
        guard let graph = unit.graph else { return }
        var later = values
        for before in scheduled where before.frame <= change.frame {
            later[before.address] = before.value
        }
        for delivery in unit.deliveries(for: change.address, { later[$0] ?? self[$0] })
        where deliveries.contains(where: { $0.mailbox === delivery.mailbox }) {
            if !graph.scheduled.add(delivery, at: change.frame, ramp: change.ramp) {
                isBehind = true
            }
        }
    }

    /// Gives the render thread what it had no space for.
    private func catchUp() {
        guard isBehind else { return }
        isBehind = false
        for change in scheduled {
            hand(change, sharing: unit.deliveries(for: change.address) { self[$0] })
        }
    }

    /// Gives up what waits for its frame, where `isConcerned`; a change for which there is no space
    /// to say so is still made.
    func giveUp(where isConcerned: (ParameterAddress) -> Bool) {
        var givenUp: [(frame: Int, address: ParameterAddress)] = []
        for change in scheduled where isConcerned(change.address) {
            let deliveries = unit.deliveries(for: change.address) { self[$0] }
            let areAllTaken = deliveries.allSatisfy {
                unit.graph?.scheduled.add($0, at: change.frame, ramp: -1) ?? true
            }
            if areAllTaken { givenUp.append((change.frame, change.address)) }
        }
        scheduled.removeAll { change in
            givenUp.contains { $0 == (change.frame, change.address) }
        }
    }

    /// Gives the render thread every value that was set, for a kernel that has none.
    func deliverAll() {
        for address in values.keys { deliver(address) }
    }

    /// Takes over the values of changes that were made.
    func settle() {
        guard !scheduled.isEmpty, let rendered = unit.graph?.renderedFrames else { return }
        while let first = scheduled.first, first.frame < rendered {
            scheduled.removeFirst()
            values[first.address] = first.value
            note(first.address, by: first.origin)
        }
    }

    // MARK: Listeners

    private func note(_ address: ParameterAddress, by origin: String) {
        untold.removeAll { $0.address == address }
        untold.append((address, origin))
    }

    /// Takes over what was made, gives the render thread what it had no space for, and returns the
    /// changes since the last call, each parameter once.
    func update() -> [ParameterChange] {
        settle()
        catchUp()
        defer { untold = [] }
        return untold.map {
            ParameterChange(
                unit: unit, address: $0.address, value: self[$0.address], origin: $0.origin)
        }
    }
}
