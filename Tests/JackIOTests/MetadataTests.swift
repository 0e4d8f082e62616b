import AudioGraph
import Foundation
import TestSupport
import Testing

@testable import JackIO

extension LiveTests {
    /// The metadata of the client and its ports, as other programs read them.
    @Suite(.serialized) struct MetadataTests {
        private struct Property: Hashable {
            let key: String
            let value: String
            let type: String
        }

        private static let text = "text/plain"
        private static let integer = "http://www.w3.org/2001/XMLSchema#int"

        private func pretty(_ value: String) -> Property {
            Property(key: "pretty-name", value: value, type: Self.text)
        }

        private func order(_ value: String) -> Property {
            Property(key: "order", value: value, type: Self.integer)
        }

        /// All properties that another program reads, by subject.
        private func properties(_ server: JackServer) throws -> [String: Set<Property>] {
            var properties: [String: Set<Property>] = [:]
            var subject = ""
            for line in try server.tool("jack_property", ["-l"]).split(separator: "\n") {
                guard let match = line.firstMatch(of: /^key: (.*) value: (.*) type: (.*)$/) else {
                    subject = String(line)
                    continue
                }
                let key = String(match.1.split(separator: "/").last ?? "")
                properties[subject, default: []].insert(
                    Property(key: key, value: String(match.2), type: String(match.3)))
            }
            return properties
        }

        @Test func isThereWithTheClientAndGoesWithIt() throws {
            let server = try JackServer()
            let live = try LiveClient(
                server, .init(name: "duet", prettyName: "Duet", microphone: .none, outputs: .none))
            // There may be metadata of other clients, which were killed with their servers.
            let subjects = Set(live.client.describe().map { "\($0.subject)" })
            let said = try properties(server).filter { subjects.contains($0.key) }
            #expect(
                Set(said.values) == [
                    [
                        pretty("Duet"),
                        Property(
                            key: "icon-name", value: "audio-input-microphone", type: Self.text),
                    ],
                    [pretty("Microphone"), order("0")],
                    [pretty("Output left"), order("1")], [pretty("Output right"), order("2")],
                ])
            #expect(live.client.close())
            #expect(try properties(server).allSatisfy { !subjects.contains($0.key) })
        }

        // PipeWire tells both clients that their name is plain "duet".
        @Test(.disabled(if: JackServer.isPipeWire)) func aTakenNameIsShownInBrackets() throws {
            let server = try JackServer()
            let first = try LiveClient(
                server, .init(name: "duet", prettyName: "Duet", microphone: .none, outputs: .none))
            let second = try LiveClient(
                server,
                .init(
                    name: "duet", prettyName: "Duet", microphoneChannels: 2, microphone: .none,
                    outputs: .none))
            let names = try properties(server).values.joined().filter { $0.key == "pretty-name" }
                .map(\.value)
            #expect(names.contains("Duet") && names.contains("Duet (\(second.client.name))"))
            #expect(names.contains("Microphone left") && names.contains("Microphone right"))
            #expect(first.client.close() && second.client.close())
        }

        // By JACK's API the client removes its metadata, though servers clean up after it too.
        // Under PipeWire 0.3.65 only the server does: nothing is removed before the client goes.
        @Test(.disabled(if: JackServer.isPipeWire)) func onlyOurOwnMetadataAreRemoved() throws {
            let server = try JackServer()
            let before = try properties(server)
            let live = try LiveClient(server)
            let ours = live.client.describe()
            #expect(ours.count == 8)
            let taken = JackMetadata.Property(
                subject: ours[0].subject, key: ours[0].key, value: "Somebody's", type: Self.text)
            JackMetadata.remove(ours, by: live.client.handle)
            #expect(try properties(server) == before)
            #expect(JackMetadata.set(ours, by: live.client.handle))
            #expect(JackMetadata.set([taken], by: live.client.handle))
            JackMetadata.remove(ours, by: live.client.handle)
            let left = try properties(server).filter { before[$0.key] != $0.value }
            #expect(Array(left.values) == [[pretty("Somebody's")]])
            #expect(live.client.close())
        }
    }
}
