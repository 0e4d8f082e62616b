import Glibc
import SystemSupport

/// The commands that advice names, as they are typed on this machine by this user.
struct ShellAdvice: Sendable {
    var isRoot = geteuid() == 0
    /// Whether packages are installed by Debian's apt.
    var hasApt = access("/usr/bin/apt", X_OK) == 0
    var hasSystemd = access("/run/systemd/system", F_OK) == 0
    var hasJackd = access("/usr/bin/jackd", X_OK) == 0
    /// Whether the user has a folder for PipeWire's socket.
    var hasRuntimeFolder = environmentValue("XDG_RUNTIME_DIR") != nil

    /// `command`, which needs root's rights.
    func asRoot(_ command: String) -> String { isRoot ? command : "sudo \(command)" }

    /// How to install a Debian package.
    func install(_ package: String) -> String {
        hasApt ? "run '\(asRoot("apt install \(package)"))'" : "install \(package)"
    }

    /// What to do where PipeWire is installed and not running.
    var startPipeWireOrJack: String {
        if hasJackd { return startPipeWire }
        let server = "install a JACK server" + (hasApt ? ": \(asRoot("apt install jackd2"))" : "")
        return "\(startPipeWire), or \(server)"
    }

    /// How to start PipeWire, which systemd starts for ordinary users only.
    private var startPipeWire: String {
        if hasSystemd {
            return isRoot
                ? "run duet as an ordinary user: PipeWire does not run as root"
                : "run 'systemctl --user start pipewire wireplumber'"
        }
        return (hasRuntimeFolder ? "" : "set XDG_RUNTIME_DIR, then ")
            + "start pipewire and wireplumber"
    }

    /// How to start a PipeWire again that hangs.
    var restartPipeWire: String {
        hasSystemd
            ? "run 'systemctl --user restart pipewire wireplumber'"
            : "restart pipewire and wireplumber"
    }
}
