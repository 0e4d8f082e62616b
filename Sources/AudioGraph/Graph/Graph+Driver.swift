extension Graph {
    /// The most changes that wait for their frame.
    static let mostWaitingChanges = 128

    /// How many changes wait for their frame.
    var waitingChanges: Int {
        if !isEdited { gather() }
        return edits.waitingCount + (transaction?.scheduled.count ?? 0)
    }

    /// Calls `body` on the control thread with every change of a parameter of the graph's nodes,
    /// whoever made it, when `collect` is called. Ends with the object that is returned.
    ///
    /// - Parameters:
    ///   - whenHeard: false: each parameter that has changed, once, with its last value. True: each
    ///     change when it was made on the render thread, with the frame from which it holds.
    ///   - body: called with each change.
    public func addListener(
        whenHeard: Bool = false, _ body: @escaping (ParameterChange) -> Void
    ) -> ParameterListener {
        listeners.add(body, whenHeard: whenHeard)
    }

    /// How many plans are not freed yet; 1 when `collect` has nothing more to free.
    var planCount: Int { edits.plans.count }

    // MARK: The driver

    /// Makes `driver` the only one that renders the graph, for as long as it lives or until
    /// `release`. Returns how many channels the graph captures and plays.
    ///
    /// - Parameter format: what the driver has; nil: what the graph needs.
    ///
    /// Throws `notPrepared`, `noHardwareIO`, `hasDriver`, `otherDriverRate`, `tooFewInputs` or
    /// `tooFewOutputs`.
    @discardableResult
    package func claim(
        by driver: AnyObject, format: (sampleRate: Int, inputs: Int, outputs: Int)? = nil
    ) throws(GraphError) -> (inputs: Int, outputs: Int) {
        guard let hardware else { throw .noHardwareIO }
        guard isPrepared else { throw .notPrepared }
        guard self.driver == nil || self.driver === driver else { throw .hasDriver }
        let needed = (inputs: hardware.inputChannelCount, outputs: hardware.outputChannelCount)
        if let format {
            guard format.sampleRate == sampleRate else {
                throw .otherDriverRate(driver: format.sampleRate, graph: sampleRate)
            }
            guard format.inputs >= needed.inputs else {
                throw .tooFewInputs(driver: format.inputs, graph: needed.inputs)
            }
            guard format.outputs >= needed.outputs else {
                throw .tooFewOutputs(driver: format.outputs, graph: needed.outputs)
            }
        }
        self.driver = driver
        return needed
    }

    /// Lets another driver render the graph. Does nothing for a driver that does not.
    package func release(by driver: AnyObject) {
        if self.driver === driver { self.driver = nil }
    }
}
