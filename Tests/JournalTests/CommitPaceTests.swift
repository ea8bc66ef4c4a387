// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Testing

@testable import Journal
@testable import Readings

/// How far apart transactions are when the number of readings asks for them.
@Suite("Commit pace")
struct CommitPaceTests {
    @Test("the first is made at once, the next when ten milliseconds have passed since it was begun")
    func wait() {
        var state = JournalState(
            books: JournalStatistics(path: "journal.db"), budget: WriteBudget(megabytesPerDay: 0))
        let begin = MonotonicTime.zero + .seconds(100)
        #expect(state.wait(at: begin) == .zero)
        state.lastCommit = begin
        #expect(state.wait(at: begin) == .milliseconds(10))
        #expect(state.wait(at: begin + .milliseconds(7)) == .milliseconds(3))
        #expect(state.wait(at: begin + .milliseconds(10)) == .zero)
        #expect(state.wait(at: begin + .seconds(60)) == .zero)
    }
}
