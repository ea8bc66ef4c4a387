// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Testing

@testable import GatewayBench
@testable import Publisher
@testable import Readings

/// States whose end their sensors never report.
struct EndingStateTests {
    /// Govee's H5121, with a number as the time of its packet; 90 % and a motion.
    private static func motion(_ number: UInt8, state: UInt8 = 1) -> [UInt8] {
        [9, 0, 0, 0, number, 1, 4, 3, 2, 90, state] + [UInt8](repeating: 0, count: 10)
    }

    private static func bench(_ change: (inout MQTTConfiguration) -> Void = { _ in }) -> MachineBench {
        var bench = MachineBench(change)
        bench.table.characteristicNames[2] = "govee"
        bench.beginQuietly()
        return bench
    }

    private static func heard(_ bench: inout MachineBench, _ value: [UInt8]) {
        bench.table.append(
            bench.table.greatestNumber + 1, characteristic: 2, up: bench.uptime, source: .advert, value: value)
        bench.machine.live.expectRows()
        bench.publish()
        bench.acknowledgeAll()
    }

    private static func texts(_ messages: [OutgoingMessage]) -> [String] {
        messages.map { String(decoding: $0.payload, as: UTF8.self) }.filter { $0.contains("motion") }
    }

    @Test func `a motion is over after a minute, with the time of its end`() {
        var bench = Self.bench()
        Self.heard(&bench, Self.motion(1))
        #expect(bench.sent.count == 1 && Self.texts(bench.mentioned).isEmpty)
        bench.uptime += 59_999
        bench.publish()
        #expect(Self.texts(bench.mentioned).isEmpty)
        #expect(bench.machine.live.endings.next == 160_000)
        #expect(bench.wait().map { $0 <= .milliseconds(1) } == true)
        bench.uptime += 1
        bench.publish()
        let said = Self.texts(bench.mentioned)
        #expect(said.count == 1)
        #expect(said.first?.contains(#""motion":0"#) == true)
        #expect(said.first?.contains(#""up_ms":160000"#) == true)
        #expect(said.first?.contains(#""ts":1700000160000"#) == true)
        #expect(said.first?.contains("battery") == false)
        bench.uptime += 100_000
        bench.publish()
        #expect(Self.texts(bench.mentioned).count == 1)
    }

    @Test func `each new motion puts the end off`() {
        var bench = Self.bench()
        Self.heard(&bench, Self.motion(1))
        bench.uptime += 40_000
        Self.heard(&bench, Self.motion(2))
        bench.uptime += 40_000
        bench.publish()
        #expect(Self.texts(bench.mentioned).isEmpty)
        bench.uptime += 20_000
        bench.publish()
        #expect(Self.texts(bench.mentioned).count == 1)
    }

    @Test func `a packet without the state changes nothing`() {
        var bench = Self.bench()
        Self.heard(&bench, Self.motion(1))
        bench.uptime += 30_000
        Self.heard(&bench, Self.motion(2, state: 0))
        bench.uptime += 30_000
        bench.publish()
        #expect(Self.texts(bench.mentioned).count == 1)
    }

    @Test func `an end that came while no broker was there is told at the next connection`() {
        var bench = Self.bench()
        Self.heard(&bench, Self.motion(1))
        bench.uptime += 120_000
        bench.begin()
        bench.publish()
        #expect(Self.texts(bench.mentioned).count == 1)
    }

    @Test func `the ends wait within bounds, the earliest first, and a state that is denied has none`() {
        var endings = EndingStates()
        for device in 1...3_000 {
            endings.record(
                Self.row(device: Int64(device), up: 10_000 - Int64(device)), [.binary(.motion, true)], [.motion: 5])
        }
        #expect(endings.next == Int64(10_000 - 2_048 + 5_000))
        endings.record(Self.row(device: 1, up: 11_000), [.binary(.motion, false)], [.motion: 5])
        let due = endings.takeDue(at: .max)
        #expect(due.count == 2_047 && due.first?.row.device == 2_048 && due.last?.row.device == 2)
        #expect(endings.next == nil)
    }

    private static func row(device: Int64, up: Int64) -> JournalRow {
        JournalRow(
            n: device, device: device, characteristic: 1, source: .advert, boot: 1, uptimeMilliseconds: up,
            quality: .synced, value: [])
    }
}
