import JackIO

/// A live command's wishes for JACK: its options, and the ports of the microphones.
struct JackRequest {
    let options: JackOptions
    /// The patterns of `--mic`.
    var microphone: [String] = []
    /// The pattern of `--second-mic`; nil if there is no such option.
    var secondMicrophone: String?

    /// Whether the command line, or the configuration, asks for connections that a session has of its own: by
    /// the names of the options.
    var connections: [(name: String, isAsked: Bool)] {
        [
            ("out", !options.out.isEmpty), ("mic", !microphone.isEmpty),
            ("second-mic", secondMicrophone != nil),
        ]
    }

    /// The client as JACK is to see it.
    ///
    /// - Parameters:
    ///   - name: that of the client.
    ///   - wires: connections that are made in place of those that the options ask for; nil if there are none.
    func configuration(
        of mix: MixPlan, name: String, wires: Set<JackWire>?, followsTransport: Bool
    ) throws(DuetError) -> JackConfiguration {
        let microphones = mix.microphones
        do {
            // A session that kept a second microphone has kept its connections, too.
            let second = try PortSelection(patterns: [secondMicrophone ?? "none"])
            return JackConfiguration(
                name: name, prettyName: "Duet", microphoneChannels: microphones.first ?? 0,
                microphone: try PortSelection(patterns: microphone),
                secondMicrophone: microphones.count > 1 ? second : nil,
                outputs: try PortSelection(patterns: options.out),
                directOutputs: mix.directOutputs, wires: wires,
                followsTransport: followsTransport)
        } catch {
            // Reading the options has refused malformed patterns already.
            throw DuetError(
                status: .usage, attempt: "cannot read a port pattern", result: "\(error)",
                hint: "see 'duet --help'")
        }
    }
}
