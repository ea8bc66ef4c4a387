// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import BluetoothHost
import FuzzSeeds
import HCI

/// Advertisements of strangers, legacy and extended in parts, up to the reports to applications.
struct AdvertisingDataTarget: FuzzTarget {
    static let name = "advertising-data"

    static var seeds: [[UInt8]] {
        let data: [UInt8] = [2, 1, 6, 3, 3, 0x0D, 0x18, 5, 9, 0x44, 0x75, 0x65, 0x74, 4, 0xFF, 0x4C, 0, 1]
        let long: [UInt8] = [17, 7] + (0..<16).map { $0 } + [5, 0x20, 1, 2, 3, 4, 9, 0x21, 1, 2, 3, 4, 5, 6, 7, 8]
        func seed(_ steps: [(kind: UInt8, properties: UInt8, data: [UInt8])]) -> [UInt8] {
            var script = FuzzScript()
            for step in steps {
                script.add(step.kind, step.properties, 1)
                script.add(counted: step.data)
            }
            return script.octets
        }
        return [
            seed([(0, 0, data), (0, 4, [5, 8, 0x41, 0x42, 0x43, 0x44])]),
            seed([(1, 0x20, data), (1, 0x20, long), (1, 0, [3, 0x19, 0x40, 3])]),
            seed([(1, 0x13, data), (1, 0x1B, long), (2, 0, []), (0, 3, [0, 0, 2, 0x0A, 4])]),
            seed([(1, 0x28, long), (1, 0x08, data), (3, 0, [5, 0x14, 1, 0x18, 2, 0x18]), (0, 2, [9, 9])]),
        ]
    }

    private static let prepared: ScanMachine = {
        var scan = ScanMachine()
        scan.set(ScanDemand(services: nil, allowsDuplicates: true), for: ClientID(rawValue: 0))
        let heartRate = BluetoothUUID(UInt16(0x180D))
        scan.set(
            ScanDemand(services: [heartRate], solicitedServices: [heartRate], discoverability: .limited),
            for: ClientID(rawValue: 1))
        return scan
    }()

    mutating func run(_ octets: [UInt8]) {
        var input = FuzzInput(octets)
        var scan = Self.prepared
        var now = MonotonicTime.zero
        var batch = HostEventBatch()
        while !input.isAtEnd {
            let kind = input.pick(4)
            let (properties, device) = (input.u8(), input.u8() & 3)
            let data = input.counted()
            walk(data)
            if kind == 2 {
                now = now + .milliseconds(Int(properties))
                scan.advance(to: now, into: &batch)
                continue
            }
            let packet = kind == 0 ? legacy(properties, device, data) : extended(properties, device, data)
            try? AdvertisingReport.forEach(in: packet.span.bytes) { report in
                promise(report.data.upperBound <= packet.count, "the report ends at \(report.data.upperBound)")
                promise(Array(packet[report.data]) == data, "the report has other data")
                scan.received(report, in: packet.span.bytes, at: now, into: &batch)
            }
        }
        check(batch)
    }

    private func walk(_ data: [UInt8]) {
        var used = 0
        for structure in AdvertisingData(data) {
            used += 2 + structure.value.count
            for width in [structure.type.serviceUUIDWidth, structure.type.solicitedUUIDWidth].compactMap({ $0 }) {
                let uuids = structure.uuids(width: width)
                promise(uuids.count == structure.value.count / width, "\(uuids.count) UUIDs in \(structure.value)")
            }
        }
        promise(used <= data.count, "\(used) octets of \(data.count) are used")
    }

    private func check(_ batch: HostEventBatch) {
        var end = 0
        for event in batch.events {
            guard case .advertisement(let advertisement) = event else { continue }
            promise(advertisement.octets.lowerBound == end, "advertisements overlap")
            end = advertisement.octets.upperBound
            let length = advertisement.octets.count
            promise(length <= 2 * ScanMachine.maximumDataLength, "an advertisement has \(length) octets")
        }
        promise(end == batch.octets.count, "octets belong to no advertisement")
    }

    // MARK: Packets

    private func legacy(_ type: UInt8, _ device: UInt8, _ data: [UInt8]) -> [UInt8] {
        packet(2, [type % 6, 1, device, 2, 3, 4, 5, 0xC0, UInt8(data.count)] + data + [0xC4])
    }

    private func extended(_ properties: UInt8, _ device: UInt8, _ data: [UInt8]) -> [UInt8] {
        var report = [properties, 0, 1, device, 2, 3, 4, 5, 0xC0, 1, 2, properties >> 4, 0x7F, 0xC4, 0, 0]
        report += [0, 0, 0, 0, 0, 0, 0, UInt8(data.count)]
        return packet(0x0D, report + data)
    }

    private func packet(_ subevent: UInt8, _ report: [UInt8]) -> [UInt8] {
        [4, 0x3E, UInt8(truncatingIfNeeded: report.count + 2), subevent, 1] + report
    }
}
