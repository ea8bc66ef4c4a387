// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import BluetoothHost
import HCI
import HCITransport
import VirtualRadio

@testable import HostBench

/// One host on one virtual controller, with the sensors of the air as its peers.
final class Simulation: AirBench {
    private(set) var indications: [IndicationNumber] = []
    /// ATT PDUs of the host, as far as their first fragment holds them.
    private(set) var sentPDUs: [[UInt8]] = []
    /// The connection handle of the last of them, least significant octet first.
    private(set) var lastHandle: [UInt8] = []
    /// Sees every packet.
    var tap: ((RawSpan, BTSnoopWriter.Direction) -> Void)?

    init(
        seed: UInt64 = 1, air settings: AirSettings = AirSettings(),
        controller: ControllerSettings = ControllerSettings()
    ) {
        let air = VirtualAir(seed: seed, settings: settings)
        super.init(on: air)
        add(
            HostMachine(randomAddress: DeviceAddress(kind: .random, value: 0xC000_0000_00FF)),
            on: air.attachController(address: Self.hostAddress, settings: controller), address: Self.hostAddress)
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

    override func sends(_ packet: [UInt8], _ player: Int) -> Bool {
        tap?(packet.span.bytes, .sent)
        // ACL data, a first fragment, L2CAP channel 4. Vol 4, Part E, 5.4.2.
        if packet.count > 9, packet[0] == 2, packet[2] & 0x30 == 0, packet[7] == 4 {
            sentPDUs.append(Array(packet.dropFirst(9)))
            lastHandle = [packet[1], packet[2] & 0x0F]
        }
        return true
    }

    override func receives(_ packet: [UInt8], _ player: Int) -> [[UInt8]] {
        tap?(packet.span.bytes, .received)
        return [packet]
    }

    override func record(_ batch: HostEventBatch, _ player: Int) {
        super.record(batch, player)
        for value in batch.values { if let number = value.indication { indications.append(number) } }
    }

    override func forget() {
        super.forget()
        sentPDUs = []
    }

    var events: [HostEvent] { players[0].events }
    var values: [Update] { players[0].values }
    var advertisements: [Heard] { players[0].advertisements }

    /// The last link that came up.
    var lastLink: LinkID? { link(of: 0) }

    func count(_ matches: (HostEvent) -> Bool) -> Int { count(0, matches) }

    var connections: Int { count { if case .connected = $0 { true } else { false } } }
    var disconnections: [HCIStatus] {
        events.compactMap { if case .disconnected(_, _, _, let end) = $0 { end.reason } else { nil } }
    }
}
