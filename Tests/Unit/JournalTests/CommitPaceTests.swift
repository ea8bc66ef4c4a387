// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Testing

@testable import Journal
@testable import Readings

/// How far apart transactions are when the number of readings asks for them.
@Suite("Commit pace")
struct CommitPaceTests {
    @Test("the first commit comes at once, the next ten milliseconds after the beginning of the first")
    func wait() {
        var schedule = CommitSchedule(megabytesPerDay: 0)
        let begin = MonotonicTime.zero + .seconds(100)
        #expect(schedule.wait(at: begin) == .zero)
        schedule.begin(at: begin)
        #expect(schedule.wait(at: begin) == .milliseconds(10))
        #expect(schedule.wait(at: begin + .milliseconds(7)) == .milliseconds(3))
        #expect(schedule.wait(at: begin + .milliseconds(10)) == .zero)
        #expect(schedule.wait(at: begin + .seconds(60)) == .zero)
    }

    struct Row: CustomTestStringConvertible, Sendable {
        let testDescription: String
        var readings = 1
        var isAwaited = false
        /// What happens before.
        let before: @Sendable (inout CommitSchedule) -> Void
        /// Nil: no new appointment.
        let kind: CommitSchedule.Kind?
        var delay = Duration.zero
    }

    private static let begin = MonotonicTime.zero + .seconds(100)
    private static let rows = [
        Row(
            testDescription: "one reading waits out the interval", before: { _ in }, kind: .timed,
            delay: .milliseconds(500)),
        Row(
            testDescription: "the next shares its appointment",
            before: { _ = $0.record(1, isAwaited: false, configuration, at: begin) }, kind: nil),
        Row(testDescription: "enough of them, the first time", readings: 10, before: { _ in }, kind: .immediate),
        Row(
            testDescription: "enough of them, soon after another", readings: 10, before: { $0.begin(at: begin) },
            kind: .soon, delay: CommitSchedule.shortestInterval),
        Row(
            testDescription: "half a queue waits for nobody", readings: 50, before: { $0.begin(at: begin) },
            kind: .immediate),
        Row(
            testDescription: "what somebody waits for goes at once", isAwaited: true,
            before: { _ = $0.record(1, isAwaited: false, configuration, at: begin) }, kind: .immediate),
        Row(testDescription: "at once is soon enough", isAwaited: true, before: { _ = $0.hurry() }, kind: nil),
        Row(testDescription: "a retry takes it along", isAwaited: true, before: { _ = $0.failed() }, kind: nil),
        Row(
            testDescription: "after a success there are appointments again", isAwaited: true,
            before: {
                _ = $0.failed()
                $0.begin(at: begin)
                _ = $0.succeeded(octets: 1, at: begin)
            }, kind: .immediate),
    ]

    private static var configuration: JournalConfiguration {
        var configuration = JournalConfiguration(path: "journal.db")
        configuration.commitRows = 10
        configuration.queueCapacity = 100
        configuration.commitInterval = .milliseconds(500)
        return configuration
    }

    @Test(arguments: rows)
    func `an appointment`(row: Row) {
        var schedule = CommitSchedule(megabytesPerDay: 0)
        row.before(&schedule)
        let appointment = schedule.record(row.readings, isAwaited: row.isAwaited, Self.configuration, at: Self.begin)
        #expect(appointment?.kind == row.kind)
        if let appointment {
            #expect(appointment.delay == row.delay)
            #expect(schedule.isValid(appointment.generation))
            schedule.begin(at: Self.begin)
            #expect(!schedule.isValid(appointment.generation), "a transaction makes it void")
        }
    }

    @Test func `tries to write double their distance up to ten seconds`() {
        var schedule = CommitSchedule(megabytesPerDay: 0)
        var delays: [Duration] = []
        for _ in 0..<7 {
            delays += [schedule.failed()?.delay].compactMap(\.self)
            schedule.cannotBegin()
        }
        #expect(delays == [500, 1_000, 2_000, 4_000, 8_000, 10_000, 10_000].map { .milliseconds($0) })
        schedule.foundDiskFull()
        #expect(schedule.failures == 7 && schedule.fullDisks == 1)
        let recovered = [schedule.succeeded(octets: 1, at: .zero), schedule.succeeded(octets: 1, at: .zero)]
        #expect(recovered == [true, false])
        #expect(!schedule.isFailing && schedule.fullDisks == 0)
    }
}
