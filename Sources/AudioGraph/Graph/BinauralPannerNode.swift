/// Places a source around the listener's head, for headphones.
///
/// A mono input is one source. A stereo input keeps its width: its channels are two sources, 30° to
/// the left and to the right of its place. The filters come from a SOFA file, which a thread of the
/// node's reads; until then, and where that fails (`fault`), the sound is panned by level alone.
/// Sound from the front is as late as `latency` says. The place cannot be scheduled for a frame.
public final class BinauralPannerNode: EffectNode {
    private static let ownUnit = UnitDescription(
        .effect, "binaural-panner", "Places its input around the listener's head, for headphones.",
        inputs: [BusDescription("input")],
        outputs: [BusDescription("output")],
        parameters: [
            ParameterDescription(.azimuth, .degrees, -180...180, default: 0, ramp: 20),
            ParameterDescription(.elevation, .degrees, -90...90, default: 0, ramp: 20),
            ParameterDescription(
                .distance, .metres, 0.2...100, default: 1, curve: .logarithmic, ramp: 20),
            .onOff(.bypass),
        ],
        properties: [PropertyDescription("fault", .text, changesByItself: true)])

    public override class var unit: UnitDescription { ownUnit }

    /// The file that libmysofa brings: the ears of a dummy head (KEMAR, MIT).
    public static let standardFile = "/usr/share/libmysofa/default.sofa"

    private let path: String
    private var filters: BinauralFilters?
    private var kernel: Shared<BinauralKernel>?

    /// - Parameters:
    ///   - file: the SOFA file with the responses of both ears (SimpleFreeFieldHRIR).
    ///   - name: the node's name.
    public init(file: String = standardFile, name: String = "binaural panner") {
        path = file
        super.init(name: name)
    }

    /// Where the source is, −180…180 degrees: 0 in front, positive to the right, as pan is; 0 by
    /// default. A change takes 20 ms. A value outside is brought to the nearest end.
    public var azimuth: Double {
        get { parameters[.azimuth] }
        set { change(.azimuth, to: newValue) }
    }

    /// How high the source is, −90…90 degrees, positive upwards; 0 by default. As `azimuth`.
    public var elevation: Double {
        get { parameters[.elevation] }
        set { change(.elevation, to: newValue) }
    }

    /// How far away the source is, 0.2…100 m; 1 by default. Its gain is 1/distance, so at 2 m it is
    /// 6 dB softer and at 0.5 m 6 dB louder than at 1 m. As `azimuth`.
    public var distance: Double {
        get { parameters[.distance] }
        set { change(.distance, to: newValue) }
    }

    private func change(_ name: ParameterName, to value: Double) {
        guard !value.isNaN, let range = unit.parameter(name, scope: .global)?.range else { return }
        parameters.change(
            ParameterAddress(name), to: min(max(value, range.lowerBound), range.upperBound))
    }

    /// Why the sound is panned by level alone; nil while the file is read, and afterwards.
    public var fault: HRTFError? { filters?.fault }

    /// Waits until the file is read, or cannot be; false when that took longer, or when the node
    /// was never in a graph. Blocks.
    public func waitUntilRead(milliseconds: Int) -> Bool {
        filters?.wait(milliseconds: milliseconds) ?? false
    }

    /// By how many frames a source in front is later: 0 until the file is read, and while bypassed.
    /// It is known to the graph after `Graph.collect`.
    public override var latency: Int { isBypassed ? 0 : filters?.latency ?? 0 }

    public override func property(_ name: String) -> PropertyValue? {
        name == "fault" ? .text(fault.map { "\($0)" } ?? "") : super.property(name)
    }

    override func apply(_ address: ParameterAddress) {
        guard address.name != .bypass else { return super.apply(address) }
        filters?.move(to: place)
    }

    private var place: BinauralFilters.Place {
        BinauralFilters.Place(azimuth: azimuth, elevation: elevation, distance: distance)
    }

    override func settle() -> Bool {
        let isLatencyNew = filters?.takeNews() ?? false
        return super.settle() || isLatencyNew
    }

    override func outputChannelCount(bus: Int, in graph: Graph) -> Int {
        isBypassed ? super.outputChannelCount(bus: bus, in: graph) : 2
    }

    override func attach(to graph: Graph) throws(GraphError) {
        guard let filters = BinauralFilters(path: path, sampleRate: graph.sampleRate) else {
            throw .noDescriptors(node: name)
        }
        kernel = unsafe Shared(
            BinauralKernel(
                controls: filters.controls.pointer, mailbox: filters.mailbox.pointer,
                capacity: filters.capacity),
            keeping: filters.controls, filters.mailbox)
        self.filters = filters
        filters.move(to: place)
        filters.load()
    }

    override func addWet(to builder: PlanBuilder, beside dry: Bus?) -> Bus {
        let source = dry ?? builder.input(of: self, bus: 0)
        guard let kernel else { return source }
        let out = builder.bus(.audio, channelCount: 2)
        unsafe builder.add(.binaural(builder.keep(kernel)), from: [source], to: [out])
        return out
    }
}
