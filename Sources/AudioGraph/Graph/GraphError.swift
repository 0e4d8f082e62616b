/// Why an edit of a graph was refused. The graph is as it was before.
public enum GraphError: Error, Hashable, CustomStringConvertible {
    /// The node was not added, or was removed.
    case notInGraph(node: String)
    /// The node belongs to a graph already.
    case alreadyInGraph(node: String)
    /// The node was in another graph before, whose driver may still render it. A node serves one
    /// graph for as long as that graph lives.
    case belongsToAnotherGraph(node: String)
    /// The node was made for another sample rate than the graph's, in Hz.
    case otherRate(node: String, rate: Int, graph: Int)
    /// The node takes only sample rates in a range, in Hz, and the graph has another.
    case rateNotTaken(node: String, rate: Int, accepted: ClosedRange<Int>)
    /// The system had no file descriptor left when the node was made.
    case noDescriptors(node: String)
    /// The system had no thread left for the node.
    case noThread(node: String)
    /// The unit's `make` has made no state.
    case notMade(node: String)
    /// The node's own rate cannot become the graph's.
    case noConverter(node: String, ConverterError)
    /// The node has no bus of that number.
    case noSuchBus(node: String, bus: Int)
    /// The input takes gains, which have no channels to choose from.
    case noChannels(node: String, bus: Int)
    /// The input takes another number of channels, or there can be no channel of such a number.
    case wrongChannels(node: String, bus: Int, accepted: ClosedRange<Int>)
    /// Something is connected to that input already: disconnect it first.
    case busIsTaken(node: String, bus: Int)
    /// The first node gives nothing to the second.
    case notConnected(from: String, to: String)
    /// One of the buses is for sound, and the other for gains.
    case unlikeBuses(from: String, to: String)
    /// The connection would feed a node's output back into its input.
    case cycle(from: String, to: String)
    /// A graph has at most one `HardwareIO`.
    case secondHardwareIO
    /// No `HardwareIO` was added, so there is nothing to render to.
    case noHardwareIO
    /// A prepared graph keeps its `HardwareIO`: the driver renders to it.
    case hardwareIsInUse
    /// `prepare` was not called yet.
    case notPrepared
    /// `prepare` was called already, and a driver may hold the context.
    case alreadyPrepared
    /// Another driver renders the graph.
    case hasDriver
    /// The driver has another sample rate than the graph, in Hz.
    case otherDriverRate(driver: Int, graph: Int)
    /// The driver captures fewer channels than the graph's `HardwareIO`.
    case tooFewInputs(driver: Int, graph: Int)
    /// The driver plays fewer channels than the graph's `HardwareIO`.
    case tooFewOutputs(driver: Int, graph: Int)

    public var description: String {
        switch self {
        case .notInGraph(let node): "\(node) is not in this graph: add it first"
        case .alreadyInGraph(let node): "\(node) is in a graph already"
        case .belongsToAnotherGraph(let node):
            "\(node) belongs to another graph: make a new one for this graph"
        case .otherRate(let node, let rate, let graph):
            "\(node) was made for \(rate) Hz, and the graph has \(graph) Hz: make it for "
                + "\(graph) Hz, and give it sound of that rate"
        case .rateNotTaken(let node, let rate, let accepted):
            "\(node) takes sound of \(accepted.lowerBound) to \(accepted.upperBound) Hz, and the "
                + "graph has \(rate) Hz"
        case .noDescriptors(let node):
            "no file descriptor is left for \(node): end other programs, or raise ulimit -n"
        case .noThread(let node): "no thread is left for \(node): end other programs"
        case .notMade(let node): "\(node) could not be made: its make function gave no state"
        case .noConverter(let node, let error): "\(node): \(error)"
        case .noSuchBus(let node, let bus): "\(node) has no bus \(bus)"
        case .noChannels(let node, let bus):
            "input bus \(bus) of \(node) takes gains: name no channels"
        case .wrongChannels(let node, let bus, let accepted):
            "input bus \(bus) of \(node) takes \(accepted.lowerBound) to \(accepted.upperBound) "
                + "channels, each of 0 to 7"
        case .busIsTaken(let node, let bus):
            "input bus \(bus) of \(node) is connected already: "
                + "disconnect it first, or insert the node"
        case .notConnected(let from, let to): "\(from) is not connected to \(to)"
        case .unlikeBuses(let from, let to):
            "a bus for sound and a bus for gains cannot be connected: \(from) to \(to)"
        case .cycle(let from, let to): "\(from) already gets its input from \(to)"
        case .secondHardwareIO: "the graph has a HardwareIO already"
        case .noHardwareIO: "the graph has no HardwareIO: add one"
        case .hardwareIsInUse: "a prepared graph keeps its HardwareIO: disconnect it instead"
        case .notPrepared: "the graph is not prepared: call prepare() first"
        case .alreadyPrepared: "the graph is prepared already"
        case .hasDriver: "another driver renders this graph: end it first, or make another graph"
        case .otherDriverRate(let driver, let graph):
            "the driver has \(driver) Hz, and the graph \(graph) Hz: make a graph of "
                + "\(driver) Hz"
        case .tooFewInputs(let driver, let graph):
            "the driver captures \(driver) channels, and the graph \(graph): give the driver "
                + "more ports, or HardwareIO fewer inputChannels"
        case .tooFewOutputs(let driver, let graph):
            "the driver plays \(driver) channels, and the graph \(graph): give the driver "
                + "more ports, or HardwareIO fewer directOutputs"
        }
    }
}

/// Why a parameter or a property was not set or read. Its value is as it was before.
public enum ParameterError: Error, Hashable, CustomStringConvertible {
    /// The unit has no parameter, or no property, of that name in that scope.
    case noSuchParameter(unit: String, ParameterAddress)
    /// The unit has no bus, band or filter of that number.
    case noSuchElement(unit: String, ParameterAddress)
    /// The value lies outside the range, is not a number, or is not a whole number where only such
    /// are accepted.
    case outOfRange(unit: String, ParameterAddress, value: Double, range: ClosedRange<Double>)
    /// The property is of another type, or cannot be that.
    case wrongValue(unit: String, ParameterAddress, PropertyValue)
    /// The unit alone sets it.
    case readOnly(unit: String, ParameterAddress)
    /// The change cannot be scheduled: it is not handed over at a frame.
    case notSchedulable(unit: String, ParameterAddress)
    /// The unit takes no ramp: the change comes in one frame.
    case notRampable(unit: String, ParameterAddress)
    /// The unit has no factory preset of that name.
    case noSuchPreset(unit: String, String, known: [String])
    /// The unit is in no graph whose frames could be counted.
    case notInGraph(unit: String)
    /// Too many changes wait for their frame.
    case scheduleIsFull(limit: Int)

    public var description: String {
        switch self {
        case .noSuchParameter(let unit, let address): "\(unit) has no \(address)"
        case .noSuchElement(let unit, let address):
            "\(unit) has no \(address.scope.rawValue) \(address.element)"
        case .outOfRange(let unit, let address, let value, let range):
            "\(address) of \(unit) cannot be \(value): it is \(range.lowerBound) to "
                + "\(range.upperBound)"
        case .wrongValue(let unit, let address, let value):
            "\(address) of \(unit) cannot be \(value)"
        case .readOnly(let unit, let address): "\(address) of \(unit) can be read only"
        case .notSchedulable(let unit, let address):
            "\(address) of \(unit) cannot be changed at a frame: set it"
        case .notRampable(let unit, let address):
            "\(address) of \(unit) takes no ramp: leave the ramp out, or give 0"
        case .noSuchPreset(let unit, let name, let known):
            "\(unit) has no preset \(name): "
                + (known.isEmpty ? "it has none" : "it has \(known.joined(separator: ", "))")
        case .notInGraph(let unit): "\(unit) is in no graph: add it first"
        case .scheduleIsFull(let limit): "\(limit) changes wait for their frame: no more fit"
        }
    }
}

/// Ends the program with `message`, also in a release build, unless `condition` holds: for mistakes of
/// the one who calls. Control thread.
package func require(_ condition: Bool, _ message: @autoclosure () -> String) {
    if !condition { fatalError(message()) }
}
