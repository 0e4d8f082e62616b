import AudioGraph
import CJack

// Opening a client and asking its server.
extension JackClient {
    /// Opens a client as `init` does, on a thread that is left behind when the server does not
    /// answer; what that opens too late is closed again.
    ///
    /// - Parameters:
    ///   - milliseconds: how long the server is waited for; default 4000; negative: without end.
    ///   - isCancelled: asked 20 times a second; true ends the wait.
    /// - Throws: as `init`, and `serverSilent`, `stopped`.
    public static func open(
        _ configuration: JackConfiguration, server: String = Libjack.defaultServer,
        after lost: LostClient? = nil, milliseconds: Int = 4000,
        unless isCancelled: () -> Bool = { false }
    ) throws(JackError) -> JackClient {
        try Opening.wait(for: server, milliseconds: milliseconds, unless: isCancelled) {
            () throws(JackError) in
            try openSoundly(configuration, server: server, after: lost)
        }
    }

    /// As `init`, and again where libjack missed that another client left meanwhile.
    ///
    /// Three tries, of 200 ms and what opening and closing take: the last client is used whatever
    /// the table says, and well within the 4 s that `open` waits for a server.
    private static func openSoundly(
        _ configuration: JackConfiguration, server: String, after lost: LostClient?
    ) throws(JackError) -> JackClient {
        var triesLeft = 3
        while true {
            let client = try JackClient(configuration, server: server, after: lost)
            // `init` has made ports, so the server has answered since.
            guard ClientTable.isStale else { return client }
            triesLeft -= 1
            guard triesLeft > 0 else {
                JackLog.receive("libjack still counts on a client that has left the JACK server")
                return client
            }
            // The client is not active yet, so it can go without a fade.
            client.close()
            _ = client.closing?.wait(milliseconds: Opening.patience)
        }
    }

    /// A client of that name, or with a suffix that the server adds when the name is taken. Not
    /// JackUseExactName first: jackd answers that with a mere JackServerError. Blocks for as long
    /// as the server is silent.
    ///
    /// On a thread without signals, as `activate`: libjack's own inherit that, and they take a
    /// wait that a signal interrupts for the end of their server.
    static func enter(_ name: String, server: String) throws(JackError) -> OpaquePointer {
        // PipeWire's libjack takes a server's name for that of another PipeWire.
        let asked = Libjack.isPipeWire ? nil : server
        var status: UInt32 = 0
        if let client = unsafe cjack_client_open(
            name, JackNoStartServer.rawValue, &status, asked)
        {
            return unsafe client
        }
        throw status & JackServerFailed.rawValue != 0
            ? .noServer(name: server) : .refused(client: name, server: server, status: status)
    }

    /// Callbacks, then ports: everything that jack.h wants done before `jack_activate`.
    func prepare() throws(JackError) {
        let argument = unsafe UnsafeMutableRawPointer(context)
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
                try Self.register("\(name):\(port)", JackPortIsInput, of: client))
        }
        for port in JackConfiguration.outputPorts {
            unsafe context.pointee.outputs.append(
                try Self.register("\(name):\(port)", JackPortIsOutput, of: client))
        }
    }

    /// Makes the audio port of that full name.
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
