import Glibc
import JackIO

// Holds a JACK client, and with it perhaps a private server, for tests that look at both from
// outside: `server-holder NAME [--no-start-server]`. Prints what is said, then `ready PID` (0: the
// server was there), `pipewire` or `jackd`, and ends with its standard input. An error is printed
// as `error …`, and the exit code is 69.
func tell(_ line: String) {
    print(line)
    fflush(nil)
}
let choice = ServerChoice(
    name: CommandLine.arguments[1],
    startsServer: !CommandLine.arguments.contains("--no-start-server"))
do throws(JackError) {
    let (client, server) = try choice.open(
        .init(name: "holder"), say: { tell("said \($0)") }, warn: { tell("warned \($0)") })
    tell(Libjack.isPipeWire ? "pipewire" : "jackd")
    if let server { print("log \(server.log)") }
    tell("ready \(server?.processID ?? 0)")
    while getchar() != EOF {}
    client.close()
    server?.stop()
} catch {
    tell("error \(error)")
    exit(69)
}
