// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Testing

@testable import Collector

struct LinkPhaseTests {
    private static let start = DispatchTime(uptimeNanoseconds: 1_000_000_000)
    private static let limit = start + .seconds(10)

    struct Row: Sendable, CustomTestStringConvertible {
        let link: SensorStatus.Link
        let hasDeadline: Bool
        let event: @Sendable (inout LinkPhase) -> Void
        var testDescription: String { link.rawValue }
    }

    private static let rows = [
        Row(link: .unavailable, hasDeadline: false) { $0.lost() },
        Row(link: .connecting, hasDeadline: false) { $0.connecting() },
        Row(link: .settingUp, hasDeadline: true) { $0.settingUp(until: limit) },
        Row(link: .collecting, hasDeadline: false) { $0.collecting() },
        Row(link: .disconnecting, hasDeadline: true) { $0.disconnecting(until: limit) },
        Row(link: .disconnecting, hasDeadline: false) { $0.disconnecting(until: nil) },
        Row(link: .waiting, hasDeadline: true) { $0.waiting(until: limit) },
        Row(link: .waiting, hasDeadline: false) { $0.waiting(until: nil) },
        Row(link: .queued, hasDeadline: false) { $0.queued() },
        Row(link: .resting, hasDeadline: true) { $0.resting(until: limit) },
        Row(link: .elsewhere, hasDeadline: false) { $0.elsewhere() },
    ]

    @Test(arguments: rows)
    func `a state has its own time, and not that of the state before`(row: Row) {
        var phase = LinkPhase()
        phase.waiting(until: Self.start)
        row.event(&phase)
        #expect(phase.link == row.link && phase.deadline == (row.hasDeadline ? Self.limit : nil))
    }

    @Test func `a time is acted on once, and not before`() {
        var phase = LinkPhase()
        phase.waiting(until: Self.limit)
        let early = phase.takeDeadline(at: Self.start)
        let onTime = phase.takeDeadline(at: Self.limit)
        let again = phase.takeDeadline(at: Self.limit)
        #expect(!early && onTime && !again && phase.deadline == nil && phase.link == .waiting)
    }

    @Test func `a poll keeps the state, and only a set-up is prolonged`() {
        var phase = LinkPhase()
        phase.collecting()
        phase.poll(at: Self.start)
        phase.prolongSetUp(until: Self.limit)
        #expect(phase.link == .collecting && phase.deadline == Self.start)
        phase.settle()
        #expect(phase.link == .collecting && phase.deadline == nil)
        phase.settingUp(until: Self.start)
        phase.prolongSetUp(until: Self.limit)
        #expect(phase.deadline == Self.limit)
    }
}
