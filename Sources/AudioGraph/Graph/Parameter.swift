import SystemSupport

/// Declares a parameter of a unit, once: its property, its name for `AudioNode.set`, its range, and
/// how it comes to the kernel.
///
/// ```swift
/// @Parameter(.threshold, .decibels, -60...0, default: -20, ramp: 10) public var threshold: Decibels
/// ```
///
/// What is assigned is brought to the nearest end of the range; what is not a number becomes the
/// default. The kernel gets the value as a `RampedParameter`. Control thread.
@propertyWrapper public struct Parameter<Value: ParameterValue> {
    let declaration: ParameterDeclaration

    /// - Parameters:
    ///   - name: by which `set` and `value` find it.
    ///   - scope: nil: that of the object that it is declared in.
    ///   - unit: what its numbers mean.
    ///   - range: of the values.
    ///   - value: the default, within the range.
    ///   - curve: how a fader's travel becomes the value.
    ///   - ramp: how long a change takes, in milliseconds.
    ///   - rendered: what the kernel computes with, from the value and the graph's rate in Hz; the
    ///     value itself by default.
    public init(
        _ name: ParameterName, scope: Scope? = nil, _ unit: ParameterUnit,
        _ range: ClosedRange<Double>, default value: Double,
        curve: ParameterDescription.Curve = .linear, ramp: Int = 0,
        as rendered: @escaping @Sendable (Double, Int) -> Double = { value, _ in value }
    ) {
        let description = ParameterDescription(
            name, scope: scope ?? .global, unit, range, default: value, curve: curve, ramp: ramp)
        declaration = ParameterDeclaration(
            description: description, hasOwnScope: scope != nil, rendered: rendered)
    }

    /// Declares a parameter that is described elsewhere; its kernel gets the value itself.
    init(_ description: ParameterDescription) {
        declaration = ParameterDeclaration(
            description: description, hasOwnScope: false, rendered: { value, _ in value })
    }

    @available(*, unavailable, message: "a parameter is a property of a class")
    public var wrappedValue: Value {
        get { fatalError("a parameter is a property of a class") }
        // swift-format-ignore
        set { _ = newValue }
    }

    public static subscript<Owner: ParameterOwner>(
        _enclosingInstance owner: Owner,
        wrapped wrapped: ReferenceWritableKeyPath<Owner, Value>,
        storage storage: ReferenceWritableKeyPath<Owner, Self>
    ) -> Value {
        get {
            let description = owner[keyPath: storage].declaration.description
            guard let unit = owner.unitOfParameters else { return Value(description.defaultValue) }
            return Value(unit.parameters[owner.address(of: description), description])
        }
        set {
            let description = owner[keyPath: storage].declaration.description
            owner.unitOfParameters?.parameters.change(
                owner.address(of: description), toNearest: newValue.parameterValue, description)
        }
    }
}

/// Declares what a unit alone sets, as a meter's reading. Control thread.
@propertyWrapper public struct Reading<Value: ParameterValue> {
    let declaration: ParameterDeclaration

    init(
        _ name: ParameterName, scope: Scope? = nil, _ unit: ParameterUnit,
        _ range: ClosedRange<Double>, default value: Double
    ) {
        let description = ParameterDescription(
            name, scope: scope ?? .global, unit, range, default: value, isReadOnly: true)
        declaration = ParameterDeclaration(
            description: description, hasOwnScope: scope != nil, rendered: { value, _ in value })
    }

    @available(*, unavailable, message: "a reading is a property of a class")
    public var wrappedValue: Value { fatalError("a reading is a property of a class") }

    public static subscript<Owner: ParameterOwner>(
        _enclosingInstance owner: Owner, wrapped wrapped: KeyPath<Owner, Value>,
        storage storage: KeyPath<Owner, Self>
    ) -> Value {
        let description = owner[keyPath: storage].declaration.description
        guard let unit = owner.unitOfParameters else { return Value(description.defaultValue) }
        return Value(unit.reading(of: owner.address(of: description)))
    }
}

/// What a parameter's property can be.
public protocol ParameterValue {
    /// The value that a parameter's number means; the number is within the parameter's range.
    init(_ parameterValue: Double)
    /// The number for `AudioNode.set`.
    var parameterValue: Double { get }
}

extension Double: ParameterValue {
    public var parameterValue: Double { self }
}

extension Decibels: ParameterValue {
    public var parameterValue: Double { value }
}

extension Volume: ParameterValue {
    public init(_ parameterValue: Double) { self.init(gain: parameterValue) }
    public var parameterValue: Double { gain }
}

extension Pan: ParameterValue {
    public var parameterValue: Double { position }
}

extension Bool: ParameterValue {
    public init(_ parameterValue: Double) { self = parameterValue != 0 }
    public var parameterValue: Double { self ? 1 : 0 }
}

extension PanLaw: ParameterValue {}
extension FilterKind: ParameterValue {}
extension FilterSlope: ParameterValue {}

/// A choice among the cases of an enumeration is the case's number.
extension ParameterValue where Self: CaseIterable & Equatable {
    public init(_ parameterValue: Double) {
        let cases = Array(Self.allCases)
        self = cases[min(max(Int(parameterValue), 0), cases.count - 1)]
    }

    public var parameterValue: Double {
        Double(Array(Self.allCases).firstIndex(of: self) ?? 0)
    }
}

/// What parameters are declared in: a unit, or an object that stands for one of its buses or bands.
public protocol ParameterOwner: AnyObject {
    /// The unit that it is, or that it is a part of; nil when that unit has no such part any more.
    var unitOfParameters: AudioNode? { get }
    /// The scope of the parameters that name none.
    var parameterScope: Scope { get }
    /// The number of the bus or band; 0 for a unit.
    var parameterElement: Int { get }
}

extension ParameterOwner {
    func address(of description: ParameterDescription) -> ParameterAddress {
        description.scope == .global
            ? ParameterAddress(description.name, scope: parameterScope, element: parameterElement)
            : ParameterAddress(description.name, scope: description.scope)
    }
}

/// One parameter as it was declared.
struct ParameterDeclaration: Sendable {
    let description: ParameterDescription
    let hasOwnScope: Bool
    /// The value as the kernel uses it, at a rate in Hz.
    let rendered: @Sendable (Double, Int) -> Double
}

private protocol DeclaredParameter {
    var declaration: ParameterDeclaration { get }
}

extension Parameter: DeclaredParameter {}
extension Reading: DeclaredParameter {}

/// What is declared in a kind of unit, read from one such unit, once a process.
struct ParameterList: Sendable {
    private static let known = Guarded<[ObjectIdentifier: ParameterList]>([:])

    /// In the order of their declaration; those of a superclass last.
    let all: [ParameterDeclaration]
    private let byName: [Key: Int]

    private struct Key: Hashable {
        let name: ParameterName
        let scope: Scope
    }

    /// The parameters of `unit`'s kind.
    static func of(_ unit: AudioNode) -> ParameterList {
        let kind = ObjectIdentifier(type(of: unit))
        if let found = known.withLock({ $0[kind] }) { return found }
        let list = ParameterList(unit.partsOfParameters)
        known.withLock { $0[kind] = list }
        return list
    }

    private init(_ owners: [any ParameterOwner]) {
        self.init(
            owners.flatMap { owner in
                Self.declared(in: Mirror(reflecting: owner)).map { declaration in
                    declaration.hasOwnScope || owner.parameterScope == .global
                        ? declaration
                        : ParameterDeclaration(
                            description: declaration.description.moved(to: owner.parameterScope),
                            hasOwnScope: true, rendered: declaration.rendered)
                }
            })
    }

    /// The parameters of one unit, which are not those of all its kind.
    init(_ declarations: [ParameterDeclaration]) {
        all = declarations
        byName = Dictionary(
            uniqueKeysWithValues: all.enumerated().map { number, each in
                (Key(name: each.description.name, scope: each.description.scope), number)
            })
    }

    private static func declared(in mirror: Mirror) -> [ParameterDeclaration] {
        mirror.children.compactMap { ($0.value as? any DeclaredParameter)?.declaration }
            + (mirror.superclassMirror.map { declared(in: $0) } ?? [])
    }

    /// The parameter of that name in that scope, if there is one.
    subscript(name: ParameterName, scope: Scope) -> ParameterDeclaration? {
        byName[Key(name: name, scope: scope)].map { all[$0] }
    }
}

/// Somebody who hears of changes, until `cancel` or until the object is gone.
public final class ParameterListener {
    fileprivate var body: ((ParameterChange) -> Void)?
    fileprivate let hearsWhenHeard: Bool

    fileprivate init(_ body: @escaping (ParameterChange) -> Void, whenHeard: Bool) {
        self.body = body
        hearsWhenHeard = whenHeard
    }

    /// No further change is told.
    public func cancel() { body = nil }
}

/// All who hear of a graph's changes; any of them may edit the graph meanwhile. Control thread.
final class ParameterListeners {
    private struct Entry {
        weak var listener: ParameterListener?
    }

    private var entries: [Entry] = []

    /// Whether anybody wants to know the frames of changes.
    var areToldWhenHeard: Bool { entries.contains { $0.listener?.hearsWhenHeard == true } }

    func add(_ body: @escaping (ParameterChange) -> Void, whenHeard: Bool) -> ParameterListener {
        let listener = ParameterListener(body, whenHeard: whenHeard)
        entries.append(Entry(listener: listener))
        return listener
    }

    /// Tells those who hear of changes once, in the order in which they came.
    func tell(_ changes: [ParameterChange]) { tell(changes, whenHeard: false) }

    /// Tells those who hear of changes with their frames.
    func tellHeard(_ changes: [ParameterChange]) { tell(changes, whenHeard: true) }

    private func tell(_ changes: [ParameterChange], whenHeard: Bool) {
        entries.removeAll { $0.listener?.body == nil }
        for change in changes {
            for entry in entries where entry.listener?.hearsWhenHeard == whenHeard {
                entry.listener?.body?(change)
            }
        }
    }
}
