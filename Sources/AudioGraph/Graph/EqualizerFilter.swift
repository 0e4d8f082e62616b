/// A free filter of an equalizer. Every change takes 10 ms. Values outside a range are brought to
/// its nearest end, what is no number to the default. Control thread.
public struct EqualizerFilter {
    /// The filter's number, from 0.
    public let number: Int
    private let equalizer: AudioNode

    init(number: Int, of equalizer: AudioNode) {
        self.number = number
        self.equalizer = equalizer
    }

    /// What the filter does; off by default.
    public var kind: FilterKind {
        get { Self.kind(of: value(.kind)) }
        nonmutating set {
            change(.kind, to: Double(FilterKind.allCases.firstIndex(of: newValue) ?? 0))
        }
    }

    /// The middle of a peak, the corner of a pass, or where a shelf has half of its dB, in Hz:
    /// 20…20,000; 1000 by default. A filter above 0.45 of the sample rate is absent.
    public var frequency: Double {
        get { value(.frequency) }
        nonmutating set { change(.frequency, to: newValue) }
    }

    /// By how much a peak or a shelf changes the sound, −12…12 dB; 0 by default. A cut is the
    /// inverse of the boost. Passes do not use it.
    public var gain: Decibels {
        get { Decibels(value(.gain)) }
        nonmutating set { change(.gain, to: newValue.value) }
    }

    /// How narrow a peak is: its frequency through the distance of the two at which it has half of
    /// its dB; of shelves and passes how much they resonate (0.71: not at all). 0.3…10; 1 by
    /// default. More than √2 counts as √2 for shelves, more than 2 as 2 for passes.
    public var q: Double {
        get { value(.q) }
        nonmutating set { change(.q, to: newValue) }
    }

    func address(_ name: ParameterName) -> ParameterAddress {
        ParameterAddress(name, scope: .filter, element: number)
    }

    /// The kind that a parameter's value means.
    static func kind(of value: Double) -> FilterKind { FilterKind.allCases[Int(value)] }

    private func value(_ name: ParameterName) -> Double {
        equalizer.parameters[address(name)]
    }

    private func change(_ name: ParameterName, to value: Double) {
        equalizer.parameters.change(address(name), toNearest: value)
    }
}
