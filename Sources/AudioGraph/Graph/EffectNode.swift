/// A node that changes one bus in place, and can be bypassed.
public class EffectNode: AudioNode {
    /// The fades of the changed and of the unchanged sound, while one takes the other's place.
    private var crossfade: (wet: Fade, dry: Fade)?

    /// Whether the input passes unchanged; false by default. A change takes 10 ms. A bypassed effect
    /// costs nothing and stands still: what rang in it goes on when the bypass ends, unless
    /// `Graph.reset` comes between.
    public final var isBypassed: Bool {
        get { parameters[isOn: .bypass] }
        set { parameters[isOn: .bypass] = newValue }
    }

    /// Whether the effect writes to the bus; one that only reads it needs no copy.
    var changesInput: Bool { true }

    override var passesInputOn: Bool { crossfade == nil && (isBypassed || !changesInput) }

    override func apply(_ address: ParameterAddress) {
        guard address.name == .bypass else { return }
        guard changesInput, let graph, graph.isHeard else {
            // There is nothing to fade.
            crossfade = nil
            graph?.publishIfPrepared()
            return
        }
        let isBypassed = isBypassed
        let fades =
            crossfade
            ?? (
                wet: Fade(at: isBypassed ? 1 : 0, sampleRate: graph.sampleRate),
                dry: Fade(at: isBypassed ? 0 : 1, sampleRate: graph.sampleRate)
            )
        fades.wet.go(to: isBypassed ? 0 : 1)
        fades.dry.go(to: isBypassed ? 1 : 0)
        crossfade = fades
        graph.publish()
    }

    override func settle() -> Bool {
        guard let crossfade, crossfade.dry.rests(at: isBypassed ? 1 : 0),
            crossfade.wet.rests(at: isBypassed ? 0 : 1)
        else { return false }
        self.crossfade = nil
        return true
    }

    override func emit(into builder: PlanBuilder) {
        let out: Bus
        if let crossfade {
            let dry = builder.input(of: self, bus: 0)
            let wet = addWet(to: builder, beside: dry)
            out = builder.sum([(wet, crossfade.wet), (dry, crossfade.dry)])
        } else if passesInputOn {
            out = builder.input(of: self, bus: 0)
            if !isBypassed { addSteps(to: builder, changing: out) }
        } else {
            out = addWet(to: builder, beside: nil)
        }
        builder.set(out, output: 0, of: self)
    }

    /// Adds the steps that make the changed sound, and returns its buffers; effects that do not work
    /// in place have their own.
    ///
    /// - Parameter dry: the input's buffers where they are heard unchanged, too; nil: only the
    ///   changed sound is heard.
    func addWet(to builder: PlanBuilder, beside dry: Bus?) -> Bus {
        let bus = dry.map { builder.copy(of: $0) } ?? builder.changeableInput(of: self, bus: 0)
        addSteps(to: builder, changing: bus)
        return bus
    }

    /// Adds the steps that change `bus` in place.
    func addSteps(to builder: PlanBuilder, changing bus: Bus) {}
}
