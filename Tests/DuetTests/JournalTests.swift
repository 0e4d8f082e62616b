import Testing

@testable import DuetApp

/// What happens in a run is heard by all in one order.
@Suite struct JournalTests {
    /// Notes who has changed values, and answers a user's change by one of memory's.
    private final class Listener: JournalListener {
        let journal: Journal
        let answers: Bool
        var origins: [Origin] = []

        init(_ journal: Journal, answers: Bool = false) {
            (self.journal, self.answers) = (journal, answers)
        }

        func hear(_ news: Journal.News) {
            guard case .changes(_, by: let origin) = news else { return }
            if answers, origin == .user { journal.tell(.changes([], by: .memory)) }
            origins.append(origin)
        }
    }

    private final class Broken: JournalListener {
        func hear(_ news: Journal.News) throws(DuetError) { throw .outputLost(5) }
    }

    @Test func whatANewsLeadsToIsHeardAfterIt() {
        let journal = Journal()
        let listeners = [true, false].map { Listener(journal, answers: $0) }
        for listener in listeners { journal.add(listener) }
        journal.tell(.changes([], by: .user))
        journal.tell(.changes([], by: .reset))
        for listener in listeners { #expect(listener.origins == [.user, .memory, .reset]) }
    }

    @Test func aListenerThatFailsKeepsNothingFromOthers() throws {
        let journal = Journal()
        journal.add(Broken())
        let listener = Listener(journal)
        journal.add(listener)
        journal.tell(.changes([], by: .user))
        #expect(listener.origins == [.user])
        #expect(throws: DuetError.self) { try journal.check() }
        try journal.check()
    }

    /// Of a thousand changes of two values few are reported, and the last of both.
    @Test func changesWithoutEndAreFewEvents() throws {
        final class Reader: JournalListener {
            var events: [String] = []
            func hear(_ news: Journal.News) {
                if case .event(let event) = news { events.append(event.json(time: 0)) }
            }
        }
        let (journal, reader) = (Journal(), Reader())
        let values = ValueEvents(journal)
        journal.add(values)
        journal.add(reader)
        let kind = ValueKind(unit: .number, range: 0...2000, defaultValue: 0)
        for number in 1...1000 {
            for address in ["/a", "/b"] {
                let change = ValueChange(
                    address: address, kind: kind, old: Double(number - 1), new: Double(number))
                journal.tell(.changes([change], by: .user))
            }
        }
        #expect(values.secondsLeft == 0)
        try values.update()
        #expect(reader.events.count == 16 && values.secondsLeft == .infinity)
        #expect(reader.events.suffix(2).allSatisfy { $0.contains("1000") })
        #expect(reader.events[14].contains("/a") && reader.events[15].contains("/b"))
    }
}
