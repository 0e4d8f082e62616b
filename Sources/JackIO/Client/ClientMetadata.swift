import CJack

/// The metadata by which patchbays show a client.
enum ClientMetadata {
    /// Sets the names of the client and its ports and the order of the ports, and returns the
    /// properties that were set. A failure is not fatal: patchbays then show the plain names. May
    /// block.
    static func describe(_ opened: OpenClient) -> [JackMetadata.Property] {
        let (name, configuration) = (opened.name, opened.configuration)
        nonisolated(unsafe) let ports =
            unsafe opened.context.pointee.inputs + opened.context.pointee.outputs
        let properties =
            unsafe opened.handle.ask { client in
                unsafe Self.properties(
                    of: client, name: name, configuration: configuration, ports: ports)
            } ?? []
        if !JackMetadata.set(properties, by: opened.handle) {
            JackLog.receive("JACK did not take all metadata of the client \(name)")
        }
        return properties
    }

    private static func properties(
        of client: OpaquePointer, name: String, configuration: JackConfiguration,
        ports: [OpaquePointer]
    ) -> [JackMetadata.Property] {
        var properties: [JackMetadata.Property] = []
        if let subject = unsafe identifier(of: client) {
            properties = [
                .init(
                    subject: subject, key: JackMetadata.Key.prettyName,
                    value: configuration.title(ofClient: name), type: "text/plain"),
                .init(
                    subject: subject, key: JackMetadata.Key.iconName,
                    value: "audio-input-microphone", type: "text/plain"),
            ]
        }
        let names = configuration.microphonePorts + configuration.allOutputPorts
        for (index, name) in names.enumerated() {
            let subject = unsafe jack_port_uuid(ports[index])
            properties += [
                .init(
                    subject: subject, key: JackMetadata.Key.prettyName,
                    value: prettyName(ofPort: name), type: "text/plain"),
                .init(
                    subject: subject, key: JackMetadata.Key.order, value: "\(index)",
                    type: JackMetadata.integer),
            ]
        }
        return properties
    }

    private static func identifier(of client: OpaquePointer) -> jack_uuid_t? {
        guard let text = unsafe jack_client_get_uuid(client) else { return nil }
        defer { unsafe jack_free(text) }
        var identifier = jack_uuid_t()
        return unsafe jack_uuid_parse(text, &identifier) == 0 ? identifier : nil
    }

    private static func prettyName(ofPort name: String) -> String {
        switch name {
        case "mic": "Microphone"
        case "mic_left": "Microphone left"
        case "mic_right": "Microphone right"
        case "mic_2": "Second microphone"
        case "out_left": "Output left"
        case "out_right": "Output right"
        // `song_out_left`, an output of the song by itself.
        default:
            name.prefix(1).uppercased()
                + name.dropFirst().split(separator: "_").joined(separator: " ")
        }
    }
}
