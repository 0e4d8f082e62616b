import Foundation
import SystemSupport
import TestSupport
import Testing

/// The messages that wait for the main thread are bounded in number, and read in parts.
@Suite struct InboxTests {
    private func isReadable(_ inbox: Inbox<Int>) -> Bool {
        waitForInput([inbox.descriptor ?? -1], milliseconds: 0)
    }

    @Test func messagesAreTakenInPartsAndInOrder() {
        let inbox = Inbox<Int>()
        #expect(!isReadable(inbox))
        for number in 0..<100 { inbox.post(number) }
        #expect(inbox.take(atMost: 64).messages == Array(0..<64))
        // The rest of the messages wakes the reader again.
        #expect(isReadable(inbox))
        #expect(inbox.take(atMost: 64).messages == Array(64..<100))
        #expect(!isReadable(inbox))
        #expect(inbox.take().messages.isEmpty)
    }

    @Test func theOldestGiveWay() {
        let inbox = Inbox<Int>(limit: 10)
        for number in 0..<25 { inbox.post(number) }
        let (messages, lost) = inbox.take()
        #expect(messages == Array(15..<25))
        #expect(lost == 15)
        inbox.post(0)
        #expect(inbox.take().lost == 0)
    }
}
