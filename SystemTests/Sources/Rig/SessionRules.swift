import Foundation

/// Checks every message of a client against the rules of the NSM API 1.1.
///
/// Written from the text of the API (github.com/jackaudio/new-session-manager, docs/src/api).
struct SessionRules {
    enum Membership { case none, asked, accepted, refused }

    private(set) var violations: [String] = []
    private(set) var membership = Membership.none
    private(set) var capabilities: Set<String> = []
    /// The paths of requests that the client has not answered.
    private(set) var pending: [String] = []
    private var sender: UInt16?

    /// "Available Client Capabilities".
    private static let knownCapabilities: Set<String> = [
        "switch", "dirty", "progress", "message", "optional-gui",
    ]
    /// "Response codes" of each request, by the table "Error Code Definitions"; ERR_SAVE_FAILED
    /// has no number there.
    private static let errorCodes = [
        "/nsm/client/open": [-1, -7, -8, -9, -10], "/nsm/client/save": [-1, -8],
    ]

    mutating func accept() { membership = .accepted }

    mutating func refuse() { membership = .refused }

    /// Notes that a request was sent, which must get exactly one answer.
    mutating func ask(_ path: String) { pending.append(path) }

    mutating func blame(_ text: String) { violations.append(text) }

    /// Checks a message from the client, whose socket has `port`.
    mutating func judge(_ packet: OSCPacket, port: UInt16) {
        // "All messages MUST be sent from the same socket as the announce message."
        if let sender, sender != port { blame("\(packet.path) came from another socket") }
        if packet.path == "/nsm/server/announce" {
            sender = port
            judgeAnnounce(packet)
            return
        }
        guard membership == .accepted else {
            blame("\(packet.path) from a client that is \(membership)")
            return
        }
        judgeText(packet)
        switch packet.path {
        case "/reply": judgeAnswer(packet, types: "ss")
        case "/error":
            judgeAnswer(packet, types: "sis")
            if let path = packet.string(0), let code = packet.int(1),
                Self.errorCodes[path]?.contains(code) == false
            {
                blame("error \(code) of \(path)")
            }
        case "/nsm/client/is_dirty", "/nsm/client/is_clean": need("dirty", packet, types: "")
        case "/nsm/client/message":
            need("message", packet, types: "is")
            // "priority MUST be a number from 0 to 3".
            if let priority = packet.int(0), !(0...3).contains(priority) {
                blame("priority \(priority)")
            }
        case "/nsm/client/progress":
            need("progress", packet, types: "f")
            if case .float(let progress)? = packet.arguments.first, !(0...1).contains(progress) {
                blame("progress \(progress)")
            }
        case "/nsm/client/gui_is_hidden", "/nsm/client/gui_is_shown":
            need("optional-gui", packet, types: "")
        default: blame("unknown path \(packet.path)")
        }
    }

    private mutating func judgeAnnounce(_ packet: OSCPacket) {
        if membership == .accepted { blame("announced again") }
        membership = .asked
        guard packet.types == "sssiii", let name = packet.string(0),
            let list = packet.string(1), let executable = packet.string(2)
        else {
            blame("announce has types “\(packet.types)”")
            return
        }
        // The session manager writes both to session.nsm, as a line NAME:EXECUTABLE:ID, and makes a
        // path with the name.
        if name.isEmpty || name.contains(where: { ":/\n".contains($0) }) {
            blame("application name “\(name)”")
        }
        if executable.isEmpty || executable.contains(":") { blame("executable “\(executable)”") }
        let names = list.split(separator: ":").map(String.init)
        if !list.isEmpty, list != ":" + names.joined(separator: ":") + ":" {
            blame("capabilities “\(list)” are no list like :dirty:switch:")
        }
        for name in names where !Self.knownCapabilities.contains(name) {
            blame("unknown capability \(name)")
        }
        capabilities = Set(names)
        if packet.int(3) != 1 || packet.int(4) != 1 {
            blame("API version \(packet.int(3) ?? -1).\(packet.int(4) ?? -1)")
        }
        if let pid = packet.int(5), pid <= 0 || kill(Int32(pid), 0) != 0 {
            blame("nobody has process id \(pid)")
        }
    }

    private mutating func judgeAnswer(_ packet: OSCPacket, types: String) {
        guard packet.types == types, let path = packet.string(0) else {
            blame("\(packet.path) has types “\(packet.types)”")
            return
        }
        guard let index = pending.firstIndex(of: path) else {
            blame("\(packet.path) to \(path), which was not asked for")
            return
        }
        pending.remove(at: index)
    }

    private mutating func need(_ capability: String, _ packet: OSCPacket, types: String) {
        if !capabilities.contains(capability) { blame("\(packet.path) without :\(capability):") }
        if packet.types != types { blame("\(packet.path) has types “\(packet.types)”") }
    }

    /// "A string describing the problem (suitable for display to the user)".
    private mutating func judgeText(_ packet: OSCPacket) {
        for case .string(let text) in packet.arguments
        where text.unicodeScalars.contains(where: { $0.value < 32 || $0.value == 127 }) {
            blame("\(packet.path) has control characters in its text")
        }
    }
}
