// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import BluetoothHost
import HCI
import Testing

/// The beginning of a scan response behind its advertisement.
extension ScanMachineTests {
    private func borders(_ packets: [[UInt8]]) throws -> [(octets: [UInt8], responseAt: Int)] {
        var machine = ScanMachine()
        machine.set(Self.everything, for: Self.client)
        var batch = HostEventBatch()
        for packet in packets {
            let span = packet.span.bytes
            try AdvertisingReport.forEach(in: span) { machine.received($0, in: span, at: .zero, into: &batch) }
        }
        machine.advance(to: .zero + .seconds(1), into: &batch)
        return batch.advertisements.map { (Array(batch.octets[$0.octets]), $0.responseAt) }
    }

    @Test func `what is told says how much of it is the advertisement`() throws {
        let cut: [UInt8] = [2, 1, 6, 0x12, 3]
        let told = try borders([legacy(1, cut, .connectable), legacy(1, [3, 9, 65, 66], .scanResponse)])
        #expect(told.last?.octets == cut + [3, 9, 65, 66])
        #expect(told.last?.responseAt == cut.count)
        let alone = try borders([legacy(1, cut)])
        #expect(alone.first?.responseAt == cut.count)
    }

    @Test func `the fragments of one event are one data`() throws {
        let told = try borders([
            extended(1, [2, 1, 6, 5, 9], type: 0x20), extended(1, [65, 66], type: 0x20), extended(1, [67, 68]),
        ])
        #expect(told.map(\.octets) == [[2, 1, 6, 5, 9, 65, 66, 67, 68]] && told.first?.responseAt == 9)
    }

    @Test func `what is longer than an advertisement may be is cut, and nothing is left out within it`() throws {
        let fragment = [UInt8](repeating: 7, count: 229)
        var packets = (0..<8).map { _ in extended(1, fragment, type: 0x20) }
        packets.append(extended(1, [9, 9, 9]))
        let told = try #require(try borders(packets).first)
        #expect(told.octets == [UInt8](repeating: 7, count: ScanMachine.maximumDataLength))
    }
}
