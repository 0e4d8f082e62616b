/// A band of an equalizer. Control thread.
public struct EqualizerBand {
    /// The band's number, from 0.
    public let number: Int
    private let equalizer: AudioNode

    init(number: Int, of equalizer: AudioNode) {
        self.number = number
        self.equalizer = equalizer
    }

    /// The band's centre in Hz: 31.25·2^number.
    public var frequency: Double { GraphicDesign.frequency(of: number) }

    /// By how much the sound at the centre is changed, −12…12 dB; 0 by default. Values outside are
    /// brought to the nearest end, what is no number to 0. A change takes 10 ms.
    public var gain: Decibels {
        get { Decibels(equalizer.parameters[address]) }
        nonmutating set { equalizer.parameters.change(address, toNearest: newValue.value) }
    }

    var address: ParameterAddress { ParameterAddress(.gain, scope: .band, element: number) }
}
