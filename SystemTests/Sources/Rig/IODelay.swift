import Glibc

/// The `jack_iodelay` program, which measures a delay independently.
public enum IODelay {
    /// The delay in frames from `input` to `output`: the first reading that jack_iodelay prints
    /// twice in a row. It may be off by a thousandth of a frame.
    public static func measure(
        _ input: String, _ output: String, _ server: JackServer
    ) throws -> Double {
        let measuring = try Program(
            "/usr/bin/stdbuf", ["-oL", "jack_iodelay"],
            environment: ["JACK_DEFAULT_SERVER": server.name])
        defer { measuring.kill(SIGTERM) }
        // jack_iodelay prints this once it runs and while it hears nothing.
        _ = measuring.line(after: "Signal below threshold")
        _ = try server.tool("jack_connect", ["jack_delay:out", input])
        _ = try server.tool("jack_connect", [output, "jack_delay:in"])
        var last = ""
        while let line = measuring.nextLine() {
            guard line.contains("total roundtrip latency") else { continue }
            // “  5128.000 frames    106.833 ms total roundtrip latency”
            if line == last, let frames = line.split(separator: " ").first.flatMap({ Double($0) }) {
                return frames
            }
            last = line
        }
        throw ChildProcess.Failure(description: "jack_iodelay ended")
    }
}
