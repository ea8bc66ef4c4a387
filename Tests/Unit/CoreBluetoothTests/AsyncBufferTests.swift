// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import CoreBluetooth

@Suite(.timeLimit(.minutes(10)))
struct AsyncBufferTests {
    @Test(arguments: [
        (CBBufferingPolicy.newest(3), [3, 4, 5]), (.oldest(3), [1, 2, 3]), (.newest(0), [5]),
        (.oldest(9), [1, 2, 3, 4, 5]),
    ])
    func `a full buffer loses what its policy says, and counts it`(policy: CBBufferingPolicy, left: [Int]) async {
        let drops = DropCounter()
        let buffer = BoundedBuffer<Int, Never>(policy, drops: drops)
        for number in 1...5 { buffer.push(number) }
        buffer.finish()
        buffer.push(6)
        var taken: [Int] = []
        while let number = await buffer.next() { taken.append(number) }
        #expect(taken == left)
        #expect(drops.value == 5 - left.count)
        #expect(await buffer.next() == nil)
    }

    @Test func `what came before an error is delivered before it, and nothing after`() async throws {
        let buffer = BoundedBuffer<Int, any Error>(.newest(8))
        buffer.push(1)
        buffer.finish(throwing: CBError(.connectionTimeout))
        #expect(try await buffer.next() == 1)
        await #expect(throws: CBError(.connectionTimeout)) { _ = try await buffer.next() }
        #expect(try await buffer.next() == nil)
    }

    @Test func `a consumer that waits gets the element, in order, from any thread`() async {
        let buffer = BoundedBuffer<Int, Never>(.newest(10_000))
        async let pushed: Void = Task.detached {
            for number in 0..<10_000 { buffer.push(number) }
            buffer.finish()
        }.value
        var expected = 0
        while let number = await buffer.next() {
            #expect(number == expected)
            expected += 1
        }
        await pushed
        #expect(expected == 10_000)
    }

    @Test func `cancelling the task ends the wait`() async {
        let buffer = BoundedBuffer<Int, Never>(.newest(8))
        let task = Task { await buffer.next() }
        await Task.yield()
        task.cancel()
        #expect(await task.value == nil)
        buffer.push(1)
        #expect(await buffer.next() == nil)
    }

    @Test func `a stream begins with its iteration, and tells its source when that ends`() async {
        let log = Log()
        let stream = CBStream<Int, Never>(.newest(8)) { buffer in
            log.record("begun")
            for number in 1...3 { buffer.push(number) }
            return { log.record("ended") }
        }
        #expect(log.lines.isEmpty)
        for await number in stream where number == 2 { break }
        #expect(log.lines == ["begun", "ended"])
        let task = Task { for await _ in stream {} }
        task.cancel()
        await task.value
        #expect(log.lines.count % 2 == 0)
    }

    @Test func `the first of answer, cancellation and timeout decides`() async throws {
        #expect(try await PendingCall<Int>.run(timeout: .seconds(30)) { $0.finish(.success(1)) } == 1)
        await #expect(throws: CBError(.connectionTimeout)) {
            try await PendingCall<Int>.run(timeout: .milliseconds(1)) { _ in }
        }
        let log = Log()
        let task = Task {
            try await PendingCall<Int>.run(timeout: nil) { call in
                log.record("taken back")
                #expect(!call.finish(.success(2)))
            } _: { _ in
                log.record("started")
            }
        }
        task.cancel()
        await #expect(throws: CBError(.operationCancelled)) { try await task.value }
        #expect(log.lines.last == "taken back")
    }
}

/// All lines of the log.
final class Log: @unchecked Sendable {
    // Sound: all access is in the lock.
    private let lock = NSLock()
    private var noted: [String] = []

    var lines: [String] { lock.withLock { noted } }
    func record(_ line: String) { lock.withLock { noted.append(line) } }
}
