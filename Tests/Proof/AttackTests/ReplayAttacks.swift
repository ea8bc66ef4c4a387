// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Collector
import Foundation
import Gateway
import SensorCipher
import TestSupport
import Testing
import VirtualRadio

@testable import HostBench

/// An attacker records a sensor's encrypted packets, and sends them again to a whole gateway. Rows 121, 127 and 129.
@Suite(.serialized)
struct ReplayAttacks {
    /// Recorded packets of each kind of counter.
    private static let recorded = UInt32(max(Repetitions.rounds(10_000), 2_000))
    /// The time between packets: an attacker's fastest pace.
    private static let interval: Duration = .milliseconds(1)
    /// Senders of recorded packets at a time.
    private static let strangers: UInt32 = 12

    /// The packets of a family of sensors, by their number in a battery's life.
    private enum Kind: String, CaseIterable {
        /// BTHome: a counter of 32 bits.
        case long = "door"
        /// MiBeacon version 5, with a counter of 8 bits and another of 24 bits; a button.
        case extended = "bell"
        /// ATC's own format: 8 bits.
        case short = "cellar"
        /// MiBeacon version 3, without an authentic counter; a button.
        case none = "remote"

        var address: UInt64 {
            switch self {
            case .long: 0xA4C1_3800_0001
            case .short: 0xA4C1_3800_0002
            case .none: 0xA4C1_3800_0003
            case .extended: 0xA4C1_3800_0004
            }
        }

        private var octets: [UInt8] { (0..<6).map { UInt8(truncatingIfNeeded: address >> (40 - 8 * $0)) } }

        /// AD structures. `life`: a battery's; the packets of two differ.
        func packet(_ number: UInt32, life: UInt8) -> [UInt8] {
            let low = (0..<4).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
            let (service, data): (UInt16, [UInt8]) =
                switch self {
                case .long: (0xFCD2, bthome(low, life))
                case .short: (0x181A, atc(number, life))
                case .none: (0xFE95, olderMiBeacon(low))
                case .extended: (0xFE95, mibeacon(low, life))
                }
            let head = [UInt8(data.count + 3), 0x16, UInt8(truncatingIfNeeded: service), UInt8(service >> 8)]
            return [2, 0x01, 0x06] + head + data
        }

        /// A temperature and a pressed button.
        private func bthome(_ counter: [UInt8], _ life: UInt8) -> [UInt8] {
            let objects: [UInt8] = [0x02, counter[0], life, 0x3A, 0x01]
            let sealed = PacketCipher.sealCCM(
                objects, key: SimulatedFamily.key, nonce: octets + [0xD2, 0xFC, 0x45] + counter, tagLength: 4)
            return [0x45] + sealed.ciphertext + counter + sealed.tag
        }

        private func atc(_ number: UInt32, _ life: UInt8) -> [UInt8] {
            let counter = UInt8(truncatingIfNeeded: number)
            let cycle = UInt16(truncatingIfNeeded: number >> 8)
            let plain = [UInt8(truncatingIfNeeded: cycle), 4 + life, 0x10, 0x0E, 90, 0x00]
            let nonce = octets.reversed() + [14, 0x16, 0x1A, 0x18, counter]
            let sealed = PacketCipher.sealCCM(
                plain, key: SimulatedFamily.key, nonce: nonce, additionalData: [0x11], tagLength: 4)
            return [counter] + sealed.ciphertext + sealed.tag
        }

        private func mibeacon(_ counter: [UInt8], _ life: UInt8) -> [UInt8] {
            let product: [UInt8] = [0x53, 0x01]
            let mac = Array(octets.reversed())
            let extended = Array(counter[1...3])
            let sealed = PacketCipher.sealCCM(
                [0x01, 0x10, 0x03, 0x00, 0x00, life], key: SimulatedFamily.key,
                nonce: mac + product + [counter[0]] + extended, additionalData: [0x11], tagLength: 4)
            return [0x58, 0x50] + product + [counter[0]] + mac + sealed.ciphertext + extended + sealed.tag
        }

        private func olderMiBeacon(_ counter: [UInt8]) -> [UInt8] {
            let head: [UInt8] = [0x58, 0x30, 0x53, 0x01, counter[0]]
            let mac = Array(octets.reversed())
            let extended = Array(counter[1...3])
            let block = [0x01] + head + extended + mac.prefix(5) + [0, 1]
            let object: [UInt8] = [0x01, 0x10, 0x03, 0x00, 0x00, 0x00]
            let ciphertext = PacketCipher.applyCTR(object, key: SimulatedFamily.key, block: block)
            return head + mac + ciphertext + extended + [0x00]
        }
    }

    private static var entries: String {
        let all = Kind.allCases.map { kind in
            let address = DeviceAddress(kind: .public, value: kind.address)
            let key = SimulatedFamily.key.hexadecimal
            return "id = \"\(kind.rawValue)\"\naddress = \"\(address)\"\nbindkey = \"\(key)\"\n"
        }
        return all.joined(separator: "[[sensor]]\n")
    }

    private struct Scene {
        let gateway: WholeGateway
        let kind: Kind

        var status: SensorStatus? { gateway.sensors.first { $0.id == kind.rawValue } }
        var readings: Int { status?.readings ?? 0 }
        var refused: Int { status?.refused?.values.reduce(0, +) ?? 0 }
        var early: Int { status?.refused?["too-early"] ?? 0 }

        /// The behaviour of a sender that has sent each of its packets once.
        enum Afterwards {
            /// It repeats its last packet, as a sensor does.
            case repeatsLast
            /// It begins again. A gateway on a busy machine misses packets, so once may be too few.
            case beginsAgain
        }

        /// Shares the packets of a life among `count` senders, until the gateway has heard all.
        func send(
            _ numbers: Range<UInt32>, life: UInt8, by count: UInt32 = 1, _ afterwards: Afterwards = .beginsAgain,
            each interval: Duration = ReplayAttacks.interval, until condition: () -> Bool
        ) async throws {
            let kind = kind
            let share = (UInt32(numbers.count) + count - 1) / count
            let senders = stride(from: numbers.lowerBound, to: numbers.upperBound, by: Int(share)).map { first in
                let own = min(share, numbers.upperBound - first)
                return gateway.radio.addBroadcaster(
                    VirtualBroadcaster.Configuration(
                        address: DeviceAddress(kind: .public, value: kind.address), interval: interval,
                        repetitions: 1
                    ) { number in
                        switch afterwards {
                        case .repeatsLast: kind.packet(first + min(number, own - 1), life: life)
                        case .beginsAgain: kind.packet(first + number % own, life: life)
                        }
                    })
            }
            try await waitFor("\(kind.rawValue), life \(life): \(numbers) are heard") { condition() }
            for sender in senders { gateway.radio.removeSensor(sender) }
        }

        /// The sensor itself, or a device that passes for the sensor.
        func live(_ numbers: Range<UInt32>, life: UInt8, each interval: Duration = ReplayAttacks.interval) async throws
        {
            let before = status?.repeats ?? 0
            try await send(numbers, life: life, .repeatsLast, each: interval) { (status?.repeats ?? 0) > before + 50 }
        }

        /// A stranger sends recorded packets.
        func replay(_ numbers: Range<UInt32>, life: UInt8) async throws {
            let (count, before) = (readings, refused)
            try await send(numbers, life: life, by: ReplayAttacks.strangers) { refused >= before + numbers.count }
            try require(readings == count, "\(kind.rawValue): \(readings - count) recorded packets are readings")
        }
    }

    @Test(.timeLimit(.minutes(15))) func `row 121: recorded encrypted packets, by kind of counter`() async throws {
        try await ListenedAttacks.row(121, "replayed sensor packets") {
            let gateway = try WholeGateway(Self.entries)
            let (count, long) = (Self.recorded, Scene(gateway: gateway, kind: .long))
            let extended = Scene(gateway: gateway, kind: .extended)
            for sensor in [long, extended] {
                // A stranger near the sensor records more packets than the gateway hears.
                try await sensor.live(0..<300, life: 1)
                try await sensor.live((count - 300)..<count, life: 1)
                try require(sensor.readings > 300, "\(sensor.kind): \(sensor.readings) readings")
                try await sensor.replay((count - 1_000)..<(count - 1), life: 1)
            }

            let short = Scene(gateway: gateway, kind: .short)
            try await short.live(0..<1_000, life: 1)
            try require(short.readings > 500, "\(short.readings) readings")
            // A cycle, again and again.
            for _ in 0..<20 { try await short.replay(745..<999, life: 1) }

            let none = Scene(gateway: gateway, kind: .none)
            try await none.send(0..<count, life: 1, by: Self.strangers) { none.refused >= Int(count) }
            try require(none.readings == 0 && none.status?.refused?["uncounted"] != nil, "events without a counter")

            gateway.stop()
            try gateway.start()
            for sensor in [long, extended] { try await sensor.replay(0..<(count - 1), life: 1) }
            for _ in 0..<20 { try await short.replay(745..<999, life: 1) }
            try await short.live(1_000..<1_300, life: 1)
            try require(short.readings > 150, "after a restart the sensor goes on: \(short.readings)")

            for sensor in [long, extended] { try await newBattery(sensor, after: count) }
            _ = try await gateway.trust(short.kind.rawValue)
            try await short.live(0..<300, life: 2)
            for _ in 0..<40 { try await short.replay(45..<299, life: 2) }

            gateway.stop()
            try gateway.start()
            for sensor in [long, extended] {
                try await sensor.replay(0..<count, life: 1)
                try await sensor.replay(100..<(count + 100), life: 2)
                try await sensor.live((count + 900)..<(count + 1_000), life: 2)
                try require(sensor.readings > 20, "\(sensor.kind) is displaced: \(sensor.readings)")
            }
            for _ in 0..<40 { try await short.replay(45..<299, life: 2) }
            try await none.send(0..<count, life: 2, by: Self.strangers) { none.refused >= Int(count) }
            try require(none.readings == 0, "events without a counter")
        }
    }

    @Test(.timeLimit(.minutes(6))) func `row 129: recordings that go on ahead of a counter of 8 bits`() async throws {
        try await ListenedAttacks.row(129, "recordings ahead of a counter") {
            let gateway = try WholeGateway(Self.entries)
            let short = Scene(gateway: gateway, kind: .short)
            try await short.live(0..<600, life: 1)
            // The sensor's next packet has the number 88. The recording is of the cycle before the last.
            let taken = short.readings
            try await short.live(90..<300, life: 1, each: .milliseconds(5))
            try require(short.readings > taken + 50, "\(short.readings - taken) recorded readings: no attack")
            let (before, refused) = (short.readings, short.refused)
            try await short.live(600..<800, life: 1, each: .milliseconds(20))
            let lost = short.refused - refused
            try require(short.readings > before + 100, "\(short.readings - before) readings, \(lost) refused")
            for _ in 0..<4 { try await short.replay(600..<799, life: 1) }
        }
    }

    /// The sensor starts its counter anew, and continues up to `count` packets, the end of its former life.
    private func newBattery(_ sensor: Scene, after count: UInt32) async throws {
        // Nothing counts before the operator says so. (Packets of life 2 below 64 are known of life 1.)
        let (before, refused) = (sensor.readings, sensor.refused)
        try await sensor.send(100..<400, life: 2) {
            sensor.status?.counterBack == true && sensor.refused > refused + 100
        }
        try require(sensor.readings == before, "a restart that nobody has spoken for")
        _ = try await sensor.gateway.trust(sensor.kind.rawValue)
        try await sensor.live(400..<800, life: 2)
        try require(sensor.readings > before + 100, "\(sensor.readings - before) readings of the new life")
        // A counter far ahead of the newest packet belongs to the former life.
        try await sensor.replay((800 + 1_024)..<(count - 1), life: 1)
        for last in stride(from: 1_800 as UInt32, through: count + 800, by: 1_000) {
            try await sensor.live((last - 3)..<last, life: 2)
        }
        try await sensor.replay(400..<(count + 400), life: 2)
    }

    @Test(.timeLimit(.minutes(6))) func `row 127: recorded packets before the journal is open`() async throws {
        try await ListenedAttacks.row(127, "recordings at a start") {
            let gateway = try WholeGateway(Self.entries)
            let long = Scene(gateway: gateway, kind: .long)
            try await long.live(0..<300, life: 1)
            try require(long.readings > 100, "\(long.readings) readings")
            for round in 0..<UInt32(2) {
                gateway.stop()
                try gateway.takeJournalAway()
                try gateway.start()
                // A few, and then more than wait.
                let repeats = long.status?.repeats ?? 0
                if round == 0 {
                    try await long.send(100..<150, life: 1, .repeatsLast) {
                        (long.status?.repeats ?? 0) > repeats + 400
                    }
                } else {
                    try await long.send(0..<300, life: 1, by: Self.strangers) { long.early > 0 }
                }
                // The sensor presses its button, too.
                let own = 300 + round * 3
                try await long.live(own..<(own + 3), life: 1)
                try require(long.readings == 0 && !gateway.knowsEarlierRuns, "\(long.readings) readings at the start")
                try require((long.early > 0) == (round > 0), "\(long.early) are counted as too early")
                try gateway.giveJournalBack()
                try await waitFor("the journal is open") { gateway.knowsEarlierRuns }
                try await waitFor("recordings are refused") {
                    long.status?.refused?["replayed"] ?? 0 > 10
                }
                try require((1...3).contains(long.readings), "of the sensor's 3 packets: \(long.readings)")
            }
        }
    }
}
