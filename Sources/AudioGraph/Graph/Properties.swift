extension AudioNode {
    /// The value of a property.
    ///
    /// - Parameters:
    ///   - name: the property, as the unit's description names it.
    ///   - scope: the scope that it belongs to.
    ///   - element: the bus of that scope; 0 in the global one.
    ///
    /// Throws `noSuchParameter` or `noSuchElement`.
    public func value(
        ofProperty name: String, scope: Scope = .global, element: Int = 0
    ) throws(ParameterError) -> PropertyValue {
        _ = try describedProperty(name, scope, element)
        guard let value = property(name, scope: scope, element: element) else {
            throw .noSuchElement(unit: self.name, propertyAddress(name, scope, element))
        }
        return value
    }

    /// Sets a property that is writable.
    ///
    /// - Parameters:
    ///   - name: the property, as the unit's description names it.
    ///   - scope: the scope that it belongs to.
    ///   - element: the bus of that scope; 0 in the global one.
    ///   - value: the new value, of the property's type.
    ///
    /// Throws `noSuchParameter`, `noSuchElement`, `readOnly` or `wrongValue`.
    public func set(
        property name: String, scope: Scope = .global, element: Int = 0, to value: PropertyValue
    ) throws(ParameterError) {
        let found = try describedProperty(name, scope, element)
        let address = propertyAddress(name, scope, element)
        guard found.isWritable else { throw .readOnly(unit: self.name, address) }
        guard setProperty(name, scope: scope, element: element, to: value) else {
            throw .wrongValue(unit: self.name, address, value)
        }
    }

    private func describedProperty(
        _ name: String, _ scope: Scope, _ element: Int
    ) throws(ParameterError) -> PropertyDescription {
        let found = unit.properties.first { $0.name == name && $0.scope == scope }
        guard let found else {
            throw .noSuchParameter(unit: self.name, propertyAddress(name, scope, element))
        }
        guard elements(in: scope).contains(element) else {
            throw .noSuchElement(unit: self.name, propertyAddress(name, scope, element))
        }
        return found
    }

    private func propertyAddress(
        _ name: String, _ scope: Scope, _ element: Int
    ) -> ParameterAddress {
        ParameterAddress(ParameterName(name), scope: scope, element: element)
    }

    /// The numbers of the elements of a scope that may have properties.
    func elements(in scope: Scope) -> Range<Int> {
        scope == .output ? outputBuses : 0..<elementCount(in: scope)
    }
}

/// A change of a property, as listeners hear of it.
public struct PropertyChange: @unchecked Sendable {
    // Safety: `unit` tells which one it is, to any thread; it is used where the graph is used.

    public let unit: AudioNode
    public let name: String
    public let scope: Scope
    /// The bus of that scope; 0 in the global one.
    public let element: Int
    /// The value that holds.
    public let value: PropertyValue
}

/// Somebody who hears of the changes of properties, until this object is freed or cancelled.
public final class PropertyListener {
    fileprivate struct Key: Hashable {
        let name: String
        let scope: Scope
        let element: Int
    }

    /// What was seen of a unit, which is weak: another one may be made at the same address.
    fileprivate struct Known {
        weak let unit: AudioNode?
        var values: [Key: PropertyValue] = [:]
    }

    fileprivate let name: String?
    /// Weak: another node may be made at the same address. Nil once it is gone.
    private weak var unit: AudioNode?
    private let isOfAll: Bool
    fileprivate var body: ((PropertyChange) -> Void)?
    /// What was seen last. Units that are not in it are new.
    fileprivate var known: [ObjectIdentifier: Known] = [:]

    fileprivate init(
        _ name: String?, of unit: AudioNode?, _ body: @escaping (PropertyChange) -> Void
    ) {
        self.name = name
        (self.unit, isOfAll) = (unit, unit == nil)
        self.body = body
    }

    /// No further change is told.
    public func cancel() { body = nil }

    /// Reads what is listened to, and returns what is not as it was.
    fileprivate func look(at nodes: [AudioNode]) -> [PropertyChange] {
        var seen: [ObjectIdentifier: Known] = [:]
        var changes: [PropertyChange] = []
        for node in nodes where isOfAll || unit === node {
            let id = ObjectIdentifier(node)
            let known = known[id].flatMap { $0.unit === node ? $0.values : nil } ?? [:]
            var now = Known(unit: node)
            defer { seen[id] = now }
            for each in node.unit.properties where name == nil || name == each.name {
                for element in node.elements(in: each.scope) {
                    let value = node.property(each.name, scope: each.scope, element: element)
                    guard let value else { continue }
                    let key = Key(name: each.name, scope: each.scope, element: element)
                    now.values[key] = value
                    guard let old = known[key], old != value else { continue }
                    changes.append(
                        PropertyChange(
                            unit: node, name: each.name, scope: each.scope, element: element,
                            value: value))
                }
            }
        }
        known = seen
        return changes
    }
}

/// All who hear of changes of a graph's properties; any of them may edit the graph meanwhile.
/// While there are none, no property is read. Control thread.
struct PropertyListeners {
    private struct Entry {
        weak var listener: PropertyListener?
    }

    private var entries: [Entry] = []

    fileprivate mutating func add(_ listener: PropertyListener) {
        entries.append(Entry(listener: listener))
    }

    /// The listeners that are left.
    fileprivate mutating func present() -> [PropertyListener] {
        guard !entries.isEmpty else { return [] }
        entries.removeAll { $0.listener?.body == nil }
        return entries.compactMap(\.listener)
    }
}

extension Graph {
    /// Calls `body` on the control thread with the properties of the graph's nodes that have
    /// changed since the last `collect`, whoever changed them, when `collect` is called. Ends with
    /// the object that is returned.
    ///
    /// Properties are read at every `collect`, those alone that are listened to: name what you need.
    ///
    /// - Parameters:
    ///   - name: only properties of this name; nil: all.
    ///   - unit: only those of this node; nil: of all nodes. A node that was added says nothing until
    ///     something of it changes.
    ///   - body: is told each property that has changed, once, with its last value.
    public func addPropertyListener(
        _ name: String? = nil, of unit: AudioNode? = nil,
        _ body: @escaping (PropertyChange) -> Void
    ) -> PropertyListener {
        let listener = PropertyListener(name, of: unit, body)
        _ = listener.look(at: nodes)
        propertyListeners.add(listener)
        return listener
    }

    /// Tells who listens to properties what has changed.
    func tellProperties() {
        for listener in propertyListeners.present() {
            for change in listener.look(at: nodes) { listener.body?(change) }
        }
    }
}
