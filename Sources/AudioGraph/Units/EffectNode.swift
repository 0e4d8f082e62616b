/// A node that changes one bus in place, and can be bypassed.
public class EffectNode: AudioNode {
    /// The fades of the changed and of the unchanged sound, while one takes the other's place.
    private var crossfade: (wet: Fade, dry: Fade)?

    /// Whether the input passes unchanged; false by default. A change takes 10 ms. A bypassed effect
    /// costs nothing and stands still: what rang in it goes on when the bypass ends, unless
    /// `Graph.reset` comes between.
    @Parameter(.bypass, .switch, 0...1, default: 0, ramp: 10) public final var isBypassed: Bool

    /// Whether the effect writes to the bus; one that only reads it needs no copy.
    var changesInput: Bool { true }

    override var passesInputOn: Bool { crossfade == nil && (isBypassed || !changesInput) }

    override func apply(_ address: ParameterAddress) {
        guard address.name == .bypass, let graph else { return }
        let (isBypassed, old) = (isBypassed, crossfade)
        graph.undo { [self] in crossfade = old }
        guard changesInput, graph.isHeard else {
            // There is nothing to fade.
            crossfade = nil
            graph.changePlan()
            return
        }
        if let crossfade {
            graph.changePlan([
                crossfade.wet.go(to: isBypassed ? 0 : 1), crossfade.dry.go(to: isBypassed ? 1 : 0),
            ])
        } else {
            func fade(to target: Float) -> Fade {
                Fade(from: 1 - target, to: target, sampleRate: graph.sampleRate)
            }
            crossfade = (wet: fade(to: isBypassed ? 0 : 1), dry: fade(to: isBypassed ? 1 : 0))
            graph.changePlan()
        }
    }

    override func end() { crossfade = nil }

    override func endFades() { crossfade = nil }

    override func settle() -> Bool {
        guard let crossfade, crossfade.dry.rests(at: isBypassed ? 1 : 0),
            crossfade.wet.rests(at: isBypassed ? 0 : 1)
        else { return false }
        self.crossfade = nil
        return true
    }

    override func emit(into compiler: Compiler) {
        let out: Bus
        if let crossfade {
            let dry = compiler.input(of: self, bus: 0)
            let wet = addWet(to: compiler, beside: dry)
            out = compiler.sum([(wet, crossfade.wet), (dry, crossfade.dry)])
        } else if passesInputOn {
            out = compiler.input(of: self, bus: 0)
            if !isBypassed { addSteps(to: compiler, changing: out) }
        } else {
            out = addWet(to: compiler, beside: nil)
        }
        compiler.set(out, output: 0, of: self)
    }

    /// Adds the steps that make the changed sound, and returns its buffers; effects that do not work
    /// in place have their own.
    ///
    /// - Parameter dry: the input's buffers where they are heard unchanged, too; nil: only the
    ///   changed sound is heard.
    func addWet(to compiler: Compiler, beside dry: Bus?) -> Bus {
        let bus = dry.map { compiler.copy(of: $0) } ?? compiler.changeableInput(of: self, bus: 0)
        addSteps(to: compiler, changing: bus)
        return bus
    }

    /// Adds the steps that change `bus` in place: by default the node's kernel.
    func addSteps(to compiler: Compiler, changing bus: Bus) {
        compiler.add(kernelOf: self, from: [bus], to: [bus])
    }
}
