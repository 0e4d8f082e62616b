/// A driver that renders the graph.
extension Graph {
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
