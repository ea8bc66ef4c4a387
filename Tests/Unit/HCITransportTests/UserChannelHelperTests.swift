// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import HCITransport
import Synchronization
import Testing

struct UserChannelHelperTests {
    private func withConnection<Result>(_ body: (_ gateway: Int32, _ helper: Int32) throws -> Result) throws -> Result {
        var ends: [Int32] = [-1, -1]
        try #require(socketpair(AF_UNIX, Int32(SOCK_SEQPACKET.rawValue), 0, &ends) == 0)
        defer { for end in ends { close(end) } }
        return try body(ends[0], ends[1])
    }

    /// The gateway's result from a helper whose opening ends like this.
    private func ask(
        for index: UInt16 = 0, opening: @escaping @Sendable (UInt16) throws(TransportError) -> Int32
    ) throws -> Int32 {
        try withConnection { gateway, helper in
            let isDone = DispatchSemaphore(value: 0)
            let thread = Thread {
                try? UserChannelHelper.answer(over: helper, opening: opening)
                isDone.signal()
            }
            thread.start()
            defer { isDone.wait() }
            return try UserChannelHelper.ask(for: index, over: gateway)
        }
    }

    @Test func `the gateway gets the very socket that the helper has opened, for itself alone`() throws {
        var ends: [Int32] = [-1, -1]
        try #require(pipe(&ends) == 0)
        let (reader, writer) = (ends[0], ends[1])
        defer { close(reader) }
        let descriptor = try ask(for: 7) { index in
            #expect(index == 7)
            return writer
        }
        #expect(fcntl(descriptor, F_GETFD) & FD_CLOEXEC != 0)
        #expect(write(descriptor, [42], 1) == 1)
        var octet: UInt8 = 0
        #expect(read(reader, &octet, 1) == 1)
        #expect(octet == 42)
        close(descriptor)
        // The helper has kept no copy: this is the end.
        #expect(read(reader, &octet, 1) == 0)
    }

    @Test(arguments: [
        TransportError(kind: .other, message: "hci0: bind failed.\nSee the kernel's log"),
        TransportError(kind: .blocked, message: "hci0 is blocked by rfkill"),
        TransportError(kind: .notPermitted, message: "hci0: not permitted"),
    ])
    func `what keeps the helper from it is what the gateway says`(error: TransportError) {
        #expect(throws: error) { try ask { _ throws(TransportError) in throw error } }
    }

    @Test func `an adapter that is busy for a moment is waited for`() throws {
        let attempts = Atomic(0)
        let descriptor = try ask { _ throws(TransportError) in
            guard attempts.add(1, ordering: .relaxed).newValue == 3 else {
                throw TransportError(kind: .busy, message: "the kernel is still setting it up")
            }
            return dup(STDIN_FILENO)
        }
        #expect(attempts.load(ordering: .relaxed) == 3)
        close(descriptor)
    }

    @Test(arguments: [
        "hci", "hci-1", "hci65536", "hci0\0", "unix:/run/x", "tcp:host:1", String(repeating: "h", count: 9_000),
    ])
    func `a question that names no adapter opens nothing`(question: String) throws {
        try withConnection { gateway, helper in
            try #require(write(gateway, question, question.utf8.count) == question.utf8.count)
            #expect(throws: TransportError.self) {
                try UserChannelHelper.answer(over: helper) { _ in
                    Issue.record("it was opened")
                    return -1
                }
            }
            var answer = [UInt8](repeating: 0, count: 4_096)
            let count = read(gateway, &answer, answer.count)
            #expect(String(decoding: answer.prefix(max(count, 0)), as: UTF8.self).hasPrefix("other\n"))
        }
    }

    @Test(arguments: ["", "open", "busy", "nonsense\nof a helper", "\n"])
    func `an answer without a socket and without a reason is an error`(answer: String) throws {
        try withConnection { gateway, helper in
            if answer.isEmpty {
                shutdown(helper, Int32(SHUT_WR))
            } else {
                #expect(write(helper, answer, answer.utf8.count) == answer.utf8.count)
            }
            #expect {
                try UserChannelHelper.ask(for: 0, over: gateway)
            } throws: { error in
                (error as? TransportError)?.message.contains("without an answer") == true
            }
        }
    }
}
