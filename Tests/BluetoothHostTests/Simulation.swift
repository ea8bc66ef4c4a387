// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import BluetoothHost
import HCI
import HCITransport
import Testing
import VirtualRadio

/// One host on one virtual controller, in one thread and in virtual time: minutes pass in milliseconds.
final class Simulation {
    let air: VirtualAir
    let controller: AirNodeID
    var host: HostMachine
    private(set) var now = MonotonicTime.zero
    private(set) var events: [HostEvent] = []
    private(set) var values: [(link: LinkID, handle: UInt16, octets: [UInt8])] = []
    private(set) var indications: [IndicationNumber] = []
    /// ATT PDUs of the host, as far as their first fragment holds them.
    private(set) var sentPDUs: [[UInt8]] = []
    /// The connection handle of the last of them, least significant octet first.
    private(set) var lastHandle: [UInt8] = []
    private(set) var advertisements: [(address: DeviceAddress, data: [UInt8])] = []
    /// Sees every packet.
    var tap: ((RawSpan, BTSnoopWriter.Direction) -> Void)?

    static let client = ClientID(rawValue: 0)
    static let hostAddress = DeviceAddress(kind: .public, value: 0x0011_2233_4455)

    init(
        seed: UInt64 = 1, air settings: AirSettings = AirSettings(),
        controller: ControllerSettings = ControllerSettings()
    ) {
        air = VirtualAir(seed: seed, settings: settings)
        self.controller = air.attachController(address: Self.hostAddress, settings: controller)
        host = HostMachine(randomAddress: DeviceAddress(kind: .random, value: 0xC000_0000_00FF))
        host.start(at: now)
        exchange()
    }

    /// Adds a sensor; `number` makes its address.
    func addSensor(_ number: UInt64, _ kind: VirtualSensor.Kind = .counter, rate: Double = 10) -> AirNodeID {
        air.addSensor(
            VirtualSensor.Configuration(address: Self.sensor(number), name: "S\(number)", kind: kind, rate: rate))
    }

    static func sensor(_ number: UInt64) -> DeviceAddress {
        DeviceAddress(kind: .random, value: 0xC000_0000_0000 | number)
    }

    /// Lets both sides run until `condition` holds, or for `limit` of virtual time; true when it held.
    @discardableResult
    func run(for limit: Duration, until condition: () -> Bool = { false }) -> Bool {
        let end = now + limit
        var turns = 0
        while true {
            exchange()
            if condition() { return true }
            guard let next = [air.deadline, host.deadline].compactMap({ $0 }).min(), max(next, now) <= end else {
                now = end
                return false
            }
            // A deadline that stays in the past would keep the radio thread awake for ever.
            turns = next > now ? 0 : turns + 1
            guard turns < 1_000 else {
                Issue.record(
                    "time stands still: host \(String(describing: host.deadline)), air \(String(describing: air.deadline)), now \(now)"
                )
                return false
            }
            now = max(next, now)
            air.advance(to: now)
            if let deadline = host.deadline, deadline <= now { host.advance(to: now) }
        }
    }

    /// Hands packets over in both directions until nothing more comes.
    private func exchange() {
        while true {
            let down = host.takeOutbound()
            noteSent(down)
            if let tap { Self.forEachPacket(of: down) { tap($0, .sent) } }
            if !down.isEmpty { air.receive(down, from: controller, at: now) }
            let up = air.takeOutput(of: controller)
            note(host.takeEvents())
            if up.isEmpty, !host.hasOutbound { return }
            give(up)
        }
    }

    /// Hands raw H4 packets to the host.
    func give(_ octets: [UInt8]) {
        Self.forEachPacket(of: octets) {
            tap?($0, .received)
            host.received($0, at: now)
        }
    }

    static func forEachPacket(of octets: [UInt8], _ body: (RawSpan) -> Void) {
        var offset = 0
        let span = octets.span.bytes
        while offset < octets.count {
            guard case .packet(_, let length) = H4Framer.next(span.extracting(offset..<octets.count)) else { return }
            body(span.extracting(offset..<(offset + length)))
            offset += length
        }
    }

    private func noteSent(_ octets: [UInt8]) {
        var offset = 0
        let span = octets.span.bytes
        while offset < octets.count {
            guard case .packet(_, let length) = H4Framer.next(span.extracting(offset..<octets.count)) else { return }
            let packet = octets[offset..<(offset + length)]
            // ACL data, a first fragment, L2CAP channel 4. Vol 4, Part E, 5.4.2.
            if length > 9, packet[offset] == 2, packet[offset + 2] & 0x30 == 0, packet[offset + 7] == 4 {
                sentPDUs.append(Array(packet.dropFirst(9)))
                lastHandle = [packet[offset + 1], packet[offset + 2] & 0x0F]
            }
            offset += length
        }
    }

    private func note(_ batch: HostEventBatch) {
        for event in batch.events {
            switch event {
            case .value(let link, let handle, let range, let indication):
                values.append((link, handle, Array(batch.octets[range])))
                if let indication { indications.append(indication) }
            case .advertisement(let advertisement):
                advertisements.append((advertisement.address, Array(batch.octets[advertisement.octets])))
            default: events.append(event)
            }
        }
    }

    func forget() { (events, values, advertisements, sentPDUs) = ([], [], [], []) }

    /// The last link that came up.
    var lastLink: LinkID? {
        events.reversed().lazy.compactMap { if case .connected(let link, _, _) = $0 { link } else { nil } }.first
    }

    func count(_ matches: (HostEvent) -> Bool) -> Int { events.count(where: matches) }

    var connections: Int { count { if case .connected = $0 { true } else { false } } }
    var disconnections: [HCIStatus] {
        events.compactMap { if case .disconnected(_, _, _, let reason) = $0 { reason } else { nil } }
    }
}
