// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import CoreBluetooth
import Dispatch
import Platform
import Synchronization
import Testing
import VirtualRadio

@testable import Collector
@testable import GatewayBench
@testable import Platform
@testable import Readings

/// How long a collector lets itself be held up.
@Suite("Waiting for room")
struct WaitingForRoomTests {
    @Test("all readings of one wake-up have one deadline, and the next wake-up has another")
    func deadlines() throws {
        let folder = try TestFolder()
        let radio = VirtualRadio(seed: 24)
        defer { radio.stop() }
        let controller = CBController(
            transport: .descriptor(try radio.makeController(address: DeviceAddress(kind: .public, value: 2))),
            stateDirectory: folder.path("state"))
        defer { controller.shutdown() }
        let asked = Asked()
        let collector = Collector(
            controller: controller, rules: [], clock: SystemClock(requireSynchronization: false),
            time: DispatchTime.now, randomness: .system,
            outlet: CollectorOutlet(
                append: { readings in asked.record("append", readings.count) },
                appendWhenDurable: { _, done in done(true) },
                waitForRoom: { count, deadline in asked.record("wait", count, deadline) }, countGap: { _, _ in },
                setAvailability: { _, _ in }, identifier: { _ in nil }, keep: { _, _ in }),
            logger: Sample.logger)
        let began = MonotonicTime.now
        collector.queue.sync {
            for number in 0..<250 { collector.append(Sample.temperature(Int16(number))) }
            collector.waitForRoom(1)
        }
        // After the rest of that wake-up.
        collector.queue.sync { collector.waitForRoom(2) }
        let all = asked.all
        #expect(all.map(\.what) == ["wait", "append", "wait", "append", "wait", "wait", "append", "wait"])
        #expect(all.map(\.count) == [100, 100, 100, 100, 1, 50, 50, 2])
        let deadlines = all.compactMap(\.deadline)
        try #require(deadlines.count == 5)
        #expect(Set(deadlines[..<4]).count == 1)
        #expect(deadlines[0] >= began + collector.limits.room)
        #expect(deadlines[4] > deadlines[0])
        #expect(collector.limits.room * 2 < .seconds(5), "the host's own")
    }
}

/// The requests to a collector's outlet.
private final class Asked: Sendable {
    struct Call {
        let what: String
        let count: Int
        let deadline: MonotonicTime?
    }

    private let calls = Mutex<[Call]>([])

    var all: [Call] { calls.withLock { $0 } }

    func record(_ what: String, _ count: Int, _ deadline: MonotonicTime? = nil) {
        calls.withLock { $0.append(Call(what: what, count: count, deadline: deadline)) }
    }
}
