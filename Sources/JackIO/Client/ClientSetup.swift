import CJack

/// The calls to libjack between opening a client and activating it.
enum ClientSetup {
    /// Sets the callbacks, then makes the ports: jack.h requires both before `jack_activate`.
    ///
    /// - Throws: `portRefused`, `activationFailed`.
    static func prepare(_ opened: OpenClient) throws(JackError) {
        let client = unsafe opened.client
        let context = unsafe opened.context
        let (name, configuration) = (opened.name, opened.configuration)
        let argument = UnsafeMutableRawPointer(context)
        let steps: [(String, Int32)] = unsafe [
            (
                "jack_set_thread_init_callback",
                jack_set_thread_init_callback(client, duetThreadInit, argument)
            ),
            ("jack_set_process_callback", jack_set_process_callback(client, duetProcess, argument)),
            ("jack_set_xrun_callback", jack_set_xrun_callback(client, duetXrun, argument)),
            (
                "jack_set_buffer_size_callback",
                jack_set_buffer_size_callback(client, duetBufferSize, argument)
            ),
            (
                "jack_set_sample_rate_callback",
                jack_set_sample_rate_callback(client, duetSampleRate, argument)
            ),
            (
                "jack_set_freewheel_callback",
                jack_set_freewheel_callback(client, duetFreewheel, argument)
            ),
            ("jack_set_latency_callback", jack_set_latency_callback(client, duetLatency, argument)),
            (
                "jack_set_port_registration_callback",
                jack_set_port_registration_callback(client, duetPortRegistration, argument)
            ),
            (
                "jack_set_port_connect_callback",
                jack_set_port_connect_callback(client, duetPortConnect, argument)
            ),
        ]
        if let failed = steps.first(where: { $0.1 != 0 }) {
            throw .activationFailed(step: failed.0, code: Int(failed.1))
        }
        if configuration.followsTransport {
            let code = unsafe jack_set_sync_callback(client, duetSync, argument)
            guard code == 0 else {
                throw .activationFailed(step: "jack_set_sync_callback", code: Int(code))
            }
            unsafe context.pointee.followsTransport = true
        }
        unsafe jack_on_info_shutdown(client, duetShutdown, argument)
        for port in configuration.microphonePorts {
            unsafe context.pointee.inputs.append(
                try register("\(name):\(port)", JackPortIsInput, of: client))
        }
        for port in configuration.allOutputPorts {
            unsafe context.pointee.outputs.append(
                try register("\(name):\(port)", JackPortIsOutput, of: client))
        }
    }

    /// Makes an audio port of `client` with the full name `port` (`client:port`).
    static func register(
        _ port: String, _ direction: JackPortFlags, of client: OpaquePointer
    ) throws(JackError) -> OpaquePointer {
        let name = String(port.drop { $0 != ":" }.dropFirst())
        guard
            let handle = unsafe jack_port_register(
                client, name, JACK_DEFAULT_AUDIO_TYPE, UInt(direction.rawValue), 0)
        else { throw .portRefused(port: port) }
        return unsafe handle
    }
}
