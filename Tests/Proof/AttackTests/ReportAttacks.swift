// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import BluetoothHost
import Testing
import VirtualRadio

@testable import HostBench

/// Advertising reports with false lengths, and their data: rows 2, 3, 11, 15, 16, 22, 23 and 24.
struct ReportAttacks {
    private static let extended = ControllerSettings(extendedAdvertising: true)

    private static func peer(_ number: UInt64) -> DeviceAddress {
        DeviceAddress(kind: .random, value: 0xC000_0000_5000 + number)
    }

    /// One report of the legacy event; `length` is the length field of its data.
    private static func legacy(_ number: UInt64, _ data: [UInt8], length: UInt8? = nil) -> [UInt8] {
        var octets: [UInt8] = [3, 1]
        octets += address48(peer(number))
        octets.append(length ?? UInt8(data.count))
        return octets + data + [0xC4]
    }

    /// One report of the extended event. `type`: 0x10 legacy, 0x20 more data follow, 0x40 truncated.
    private static func long(
        _ number: UInt64, _ data: [UInt8], type: UInt16 = 0, set: UInt8 = 0, length: UInt8? = nil
    ) -> [UInt8] {
        var octets = little(type) + [1] + address48(peer(number))
        octets += [1, 1, set, 127, 0xC4, 0, 0, 0, 0, 0, 0, 0, 0, 0, length ?? UInt8(data.count)]
        return octets + data
    }

    private static func told(_ seen: [Bench.Sighted], _ number: UInt64) -> [[UInt8]] {
        seen.filter { $0.address == peer(number) }.map(\.octets)
    }

    @Test func `row 2: CVE-2024-47250, a report with more data than its event`() throws {
        try attack(2, "CVE-2024-47250", by: [.none]) { scene in
            let before = scene.bench.host.counters.malformedPackets
            let seen = try scene.scanning {
                for length in 1...255 as ClosedRange<UInt8> {
                    scene.tell(0x3E, [2, 1] + Self.legacy(1, [], length: length))
                }
                scene.tell(0x3E, [2, 1] + Self.legacy(1, [2, 1, 6], length: 31))
                for count in 0...255 as ClosedRange<UInt8> { scene.tell(0x3E, [2, count]) }
                scene.tell(0x3E, [2, 1] + Self.legacy(2, [2, 1, 6]))
            }
            try require(Self.told(seen, 1).isEmpty, "told \(seen)")
            try require(Self.told(seen, 2) == [[2, 1, 6]], "told \(seen)")
            // An event that announces zero reports is valid.
            let counted = scene.bench.host.counters.malformedPackets - before
            try require(counted == 255 + 1 + 255, "\(counted) are counted")
        }
    }

    @Test func `row 3: CVE-2026-45812, several reports in one event, whole and cut`() throws {
        try attack(3, "CVE-2026-45812", by: [.none]) { scene in
            let data = [[], counting(31, from: 1), counting(7, from: 50)]
            let whole = data.enumerated().flatMap { Self.legacy(UInt64($0), $1) }
            let seen = try scene.scanning { scene.tell(0x3E, [2, 3] + whole) }
            for (number, octets) in data.enumerated() {
                try require(Self.told(seen, UInt64(number)) == [octets], "told \(seen)")
            }
            let third = Self.legacy(2, data[2]).count
            for missing in 1...third {
                let seen = try scene.scanning { scene.tell(0x3E, [2, 3] + whole.dropLast(missing)) }
                try require(Self.told(seen, 2).isEmpty && Self.told(seen, 1) == [data[1]], "told \(seen)")
            }
        }
    }

    @Test func `row 11: CVE-2021-3581, an extended report with more data than its event`() throws {
        try attack(11, "CVE-2021-3581", by: [.none], controller: Self.extended) { scene in
            let before = scene.bench.host.counters.malformedPackets
            let report = Self.long(1, [2, 1, 6])
            let seen = try scene.scanning {
                for length in 4...255 as ClosedRange<UInt8> {
                    scene.tell(0x3E, [0x0D, 1] + Self.long(1, [2, 1, 6], length: length))
                    // As a scan response, and with a second report that is missing.
                    scene.tell(0x3E, [0x0D, 1] + Self.long(1, [2, 1, 6], type: 0x1B, length: length))
                }
                scene.tell(0x3E, [0x0D, 2] + Self.long(2, [2, 1, 6]))
                for length in 0..<report.count { scene.tell(0x3E, [0x0D, 1] + report.prefix(length)) }
            }
            try require(Self.told(seen, 1).isEmpty, "told \(seen)")
            try require(Self.told(seen, 2) == [[2, 1, 6]], "told \(seen)")
            let counted = scene.bench.host.counters.malformedPackets - before
            try require(counted == UInt64(2 * 252 + 1 + report.count), "\(counted) are counted")
        }
    }

    @Test func `row 15: CVE-2023-4424, reports that never end`() throws {
        try attack(15, "CVE-2023-4424, CVE-2023-4264", by: [.none], controller: Self.extended) { scene in
            let bench = scene.bench
            func kept() -> Int { Footprint(ofScanOf: bench.host).count(endingIn: "partials.value") }
            let most = 4 * ScanMachine.maximumDataLength
            let part = [UInt8](repeating: 0x41, count: 165)
            _ = try scene.scanning {
                // The host takes ten parts of each of four sets, which is an advertisement's maximum, and drops the rest.
                for _ in 0..<12 {
                    for set in 0..<4 as Range<UInt8> {
                        scene.tell(0x3E, [0x0D, 1] + Self.long(1, part, type: 0x20, set: set))
                    }
                }
                try require(kept() == most, "\(kept()) octets are kept of four sets of one device")
                // Other sets take their place.
                for round in 0..<200 {
                    scene.tell(0x3E, [0x0D, 1] + Self.long(1, part, type: 0x20, set: UInt8(round % 16)))
                    try require(kept() <= most, "\(kept()) octets are kept of one device")
                }
                for _ in 0..<100 { scene.tell(0x3E, [0x0D, 1] + Self.long(1, part, type: 0x20)) }
                try require(kept() <= most, "\(kept()) octets are kept of one device")
            }
            try require(kept() == 0, "\(kept()) octets are kept when nobody scans")
            let long = [UInt8](repeating: 0x42, count: 206)
            _ = try scene.scanning {
                var peak = 0
                for number in 0..<1_400 as Range<UInt64> {
                    for set in 0..<4 as Range<UInt8> {
                        for _ in 0..<9 { scene.tell(0x3E, [0x0D, 1] + Self.long(number, long, type: 0x20, set: set)) }
                    }
                    guard number % 50 == 0 || number == 1_023 else { continue }
                    peak = max(peak, kept())
                    let devices = Footprint(ofScanOf: bench.host).count(endingIn: "scan.sightings")
                    try require(devices <= ScanMachine.capacity, "\(devices) devices are kept")
                }
                try require(peak == ScanMachine.capacity * most, "\(peak) octets are kept in all")
            }
        }
    }

    @Test func `row 16: CVE-2020-24490, the longest data`() throws {
        try attack(16, "CVE-2020-24490", by: [.none], controller: Self.extended) { scene in
            let whole = counting(1650)
            let seen = try scene.scanning {
                scene.tell(0x3E, [0x0D, 1] + Self.long(1, counting(229)))
                for start in stride(from: 0, to: whole.count, by: 225) {
                    let part = Array(whole[start...].prefix(225))
                    scene.tell(
                        0x3E, [0x0D, 1] + Self.long(2, part, type: start + 225 < whole.count ? 0x20 : 0))
                }
                for _ in 0..<20 { scene.tell(0x3E, [0x0D, 1] + Self.long(3, counting(229), type: 0x20)) }
                scene.tell(0x3E, [0x0D, 1] + Self.long(3, counting(229), type: 0x40))
            }
            try require(Self.told(seen, 1) == [counting(229)], "told \(Self.told(seen, 1).map(\.count))")
            try require(Self.told(seen, 2) == [whole], "told \(Self.told(seen, 2).map(\.count))")
            try require(Self.told(seen, 3).allSatisfy { $0.count <= 1650 }, "told \(Self.told(seen, 3).map(\.count))")
        }
    }

    @Test func `row 22: CVE-2026-44634, manufacturer data of every length`() throws {
        try attack(22, "CVE-2026-44634", by: [.none], controller: Self.extended) { scene in
            for length in [1, 2, 3, 100, 201] {
                let data = [UInt8(length + 1), 0xFF] + counting(length)
                let seen = try scene.scanning { scene.tell(0x3E, [0x0D, 1] + Self.long(1, data)) }
                try require(Self.told(seen, 1) == [data], "told \(seen)")
                let parts = AdvertisingData(data).map { Array($0.value) }
                try require(parts == [counting(length)], "read \(parts)")
            }
            let structures: [UInt8] = (0..<6 as Range<UInt8>).flatMap { [254, 0xFF] + counting(253, from: $0) }
            let seen = try scene.scanning {
                for start in stride(from: 0, to: structures.count, by: 170) {
                    let part = Array(structures[start...].prefix(170))
                    scene.tell(
                        0x3E, [0x0D, 1] + Self.long(1, part, type: start + 170 < structures.count ? 0x20 : 0))
                }
            }
            try require(Self.told(seen, 1) == [structures], "told \(Self.told(seen, 1).map(\.count))")
            try require(AdvertisingData(structures).map(\.value.count) == [253, 253, 253, 253, 253, 253], "cut")
        }
    }

    @Test func `row 23: BlueZ 9122bd7ec, AD structures that lie`() throws {
        try attack(23, "BlueZ 9122bd7ec", by: [.none]) { scene in
            let wanted = ScanDemand(services: [BluetoothUUID(UInt16(0x180D))], allowsDuplicates: true)
            let filler = counting(26, from: 0x40)
            // The beginning of the data, and whether our host finds the service.
            let rows: [(String, Bool)] = [
                ("03 03 0D 18", true), ("00 00 03 03 0D 18", true), ("04 03 0D 18 0F", true), ("02 03 0D", false),
                ("01 03", false), ("FF 03 0D 18", false), ("02 01 06 1F 03 0D 18", false), ("05 09 C3 28 FF FE", false),
                ("03 03 0D 18 FF", true), ("00", false), ("11 07 0D 18", false), ("03 14 0D 18", false), ("", false),
            ]
            for (start, isFound) in rows {
                let seen = try scene.scanning(wanted) { scene.tell(0x3E, [2, 1] + Self.legacy(1, hex(start))) }
                try require(Self.told(seen, 1).isEmpty != isFound, "\(start): told \(seen)")
            }
            _ = try scene.scanning(wanted) {
                for type in 0...255 as ClosedRange<UInt8> {
                    for length in [0, 1, 2, 3, 26, 27, 28, 29, 0x7F, 0xFF] as [UInt8] {
                        scene.tell(0x3E, [2, 1] + Self.legacy(UInt64(length), [length, type] + filler))
                    }
                    scene.bench.run(for: .milliseconds(1))
                }
            }
        }
    }

    @Test func `row 24: CVE-2018-16986, a bad length octet`() throws {
        try attack(24, "CVE-2018-16986", by: [.none]) { scene in
            let data = counting(31, from: 1)
            let seen = try scene.scanning {
                for length in 0...255 as ClosedRange<UInt8> {
                    scene.tell(0x3E, [2, 1] + Self.legacy(UInt64(length), data, length: length))
                }
            }
            // With 32, the host would take the signal strength for data, and find no octet behind it.
            for length in 0...255 as ClosedRange<UInt8> {
                let octets = Self.told(seen, UInt64(length))
                try require(octets == (length <= 31 ? [Array(data.prefix(Int(length)))] : []), "\(length): \(octets)")
            }
        }
    }
}
