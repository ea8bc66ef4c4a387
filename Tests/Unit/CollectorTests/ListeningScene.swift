// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import CoreBluetooth
import Foundation
import Platform
import Readings
import Synchronization
import VirtualRadio

@testable import Collector
@testable import GatewayBench
@testable import Platform

/// A collector among simulated sensors that only advertise.
final class ListeningScene {
    let radio: VirtualRadio
    let lines = LogLines()
    let controller: CBController
    let collector: Collector
    let outcome = Outcome()
    private let folder: TestFolder
    /// The packets of the controller.
    var capture: [UInt8] {
        (try? Data(contentsOf: URL(fileURLWithPath: folder.path("capture")))).map { [UInt8]($0) } ?? []
    }

    /// The collector's output.
    final class Outcome: Sendable {
        struct State {
            var readings: [Reading] = []
            var gaps: [String: Int] = [:]
            var online: [String: Bool] = [:]
            /// The newest of each sensor.
            var descriptions: [String: SensorDescription] = [:]
            /// All of each sensor, oldest first.
            var told: [String: [SensorDescription]] = [:]
            var facts: [String: String] = [:]
            /// Values decoded by readers of the table.
            var decodings = 0
        }

        private let state = Mutex(State())
        var now: State { state.withLock { $0 } }
        func change(_ body: (inout State) -> Void) { state.withLock { body(&$0) } }
    }

    init(
        _ rules: [SensorRule], facts: [String: String] = [:], lateFacts: LateFacts? = nil,
        silenceLimits: SilenceLimits = SilenceLimits(), slotLimits: SlotLimits = SlotLimits(),
        claimLimits: ClaimLimits = ClaimLimits(),
        settings: ControllerSettings = ControllerSettings(), air: AirSettings = AirSettings(),
        ownsEntries: Bool = true, pairingPauses: ClosedRange<Duration> = .seconds(30)...(.seconds(3600)),
        isCaptured: Bool = false
    ) throws {
        folder = try TestFolder()
        radio = VirtualRadio(seed: 31, settings: air)
        controller = CBController(
            transport: .descriptor(
                try radio.makeController(address: DeviceAddress(kind: .public, value: 2), settings: settings)),
            stateDirectory: folder.path("state"), capture: isCaptured ? folder.path("capture") : nil)
        let outcome = outcome
        outcome.change { $0.facts = facts }
        let outlet = CollectorOutlet(
            append: { new in outcome.change { $0.readings += new } }, appendWhenDurable: { _, done in done(true) },
            countGap: { device, missing in outcome.change { $0.gaps[device, default: 0] += missing } },
            setAvailability: { device, isOnline in outcome.change { $0.online[device] = isOnline } },
            sensors: SensorTable(
                whenDescribed: { device, description in
                    outcome.change {
                        $0.descriptions[device] = description
                        $0.told[device, default: []].append(description)
                    }
                },
                decoder: { name in Decoders.decoder(for: name).map { Self.counted($0, outcome) } }),
            identifier: { key in lateFacts.map { $0.value(for: key) } ?? outcome.now.facts[key] },
            keep: { value, key in outcome.change { $0.facts[key] = value } },
            ownsEntry: { _ in ownsEntries },
            whenKnown: { body in if let lateFacts { lateFacts.whenKnown(body) } else { body() } })
        collector = Collector(
            controller: controller, rules: rules, pairingPauses: pairingPauses, silenceLimits: silenceLimits,
            slotLimits: slotLimits,
            claimLimits: claimLimits,
            clock: SystemClock(requireSynchronization: false), time: DispatchTime.now, randomness: .system,
            outlet: outlet,
            logger: lines.logger)
        collector.start()
    }

    deinit {
        collector.stop(timeout: .seconds(2))
        controller.shutdown()
        radio.stop()
    }

    private static func counted(_ decode: @escaping Decoders.Decode, _ outcome: Outcome) -> Decoders.Decode {
        { value throws(DecodeError) in
            outcome.change { $0.decodings += 1 }
            return try decode(value)
        }
    }

    static let tag: UInt64 = 0xCBB8_334C_884F

    static func rule(_ id: String?, address: UInt64? = nil, family: String? = nil) -> SensorRule {
        var rule = SensorRule()
        (rule.id, rule.address, rule.family) = (id, address, family)
        return rule
    }

    /// A RuuviTag: format 5, 24.3 °C. Its sequence numbers count its packets, plus `skip`.
    func addRuuvi(
        at address: UInt64 = tag, claiming claimed: UInt64? = nil, isRandom: Bool = true, isCoded: Bool = false,
        interval: Duration = .milliseconds(20),
        skip: @escaping @Sendable (UInt32) -> UInt32 = { $0 }
    ) -> AirNodeID {
        var configuration = VirtualBroadcaster.Configuration(
            address: DeviceAddress(kind: isRandom ? .random : .public, value: address), interval: interval
        ) { packet in
            let number = UInt16(truncatingIfNeeded: skip(packet))
            let head: [UInt8] = [
                0x05, 0x12, 0xFC, 0x53, 0x94, 0xC3, 0x7C, 0x00, 0x04, 0xFF, 0xFC, 0x04, 0x0C, 0xAC, 0x36, 0x42,
            ]
            let mac = (0..<6).map { UInt8(truncatingIfNeeded: (claimed ?? address) >> (40 - 8 * $0)) }
            let data = head + [UInt8(number >> 8), UInt8(truncatingIfNeeded: number)] + mac
            return [2, 0x01, 0x06, UInt8(data.count + 3), 0xFF, 0x99, 0x04] + data
        }
        configuration.isCoded = isCoded
        return radio.addBroadcaster(configuration)
    }

    /// A LYWSDCGQ; `object` gives the content of the packet with a number.
    func addMiBeacon(
        at address: UInt64 = tag, interval: Duration = .milliseconds(20),
        _ object: @escaping @Sendable (UInt8) -> [UInt8]
    ) -> AirNodeID {
        let configuration = VirtualBroadcaster.Configuration(
            address: DeviceAddress(kind: .public, value: address), interval: interval
        ) { packet in
            let number = UInt8(truncatingIfNeeded: packet / 3)
            let mac = (0..<6).map { UInt8(truncatingIfNeeded: address >> (8 * $0)) }
            let data = [0x50, 0x20, 0xAA, 0x01, number] + mac + object(number)
            return [2, 0x01, 0x06, UInt8(data.count + 3), 0x16, 0x95, 0xFE] + data
        }
        return radio.addBroadcaster(configuration)
    }

    func status(_ id: String) -> SensorStatus? { collector.status.sensors.first { $0.id == id } }
}
