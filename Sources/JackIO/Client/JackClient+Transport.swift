import CJack

// JACK's transport: one for all clients of a server, and whoever wants may command it.
extension JackClient {
    /// Where it is; nil without a server.
    public var transport: JackTransport? {
        guard isUsable else { return nil }
        var position = jack_position_t()
        let state = unsafe jack_transport_query(client, &position)
        // What a server leaves that dies meanwhile is no place.
        guard isUsable else { return nil }
        return JackTransport(
            frame: Int(position.frame),
            isRolling: state == JackTransportRolling || state == JackTransportLooping,
            isStarting: state == JackTransportStarting || state == JackTransportNetStarting)
    }

    /// Lets it roll from the next cycle on, or when all followers are ready.
    public func startTransport() {
        if isUsable { unsafe jack_transport_start(client) }
    }

    /// Stops it with the next cycle.
    public func stopTransport() {
        if isUsable { unsafe jack_transport_stop(client) }
    }

    /// Puts it at `frame` with the next cycle; what a transport cannot say (over 24 hours at
    /// 48 kHz) is its nearest end.
    public func locateTransport(to frame: Int) {
        if isUsable { unsafe jack_transport_locate(client, jack_nframes_t(clamping: frame)) }
    }
}
