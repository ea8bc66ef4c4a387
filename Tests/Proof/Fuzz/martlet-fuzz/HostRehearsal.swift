// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import BluetoothHost
import GATT
import HCI
import L2CAP
import SMP
import VirtualRadio

/// Brings a host into the state of ``PreparedHost/busy``, on the virtual radio with a sensor and another host.
struct HostRehearsal {
    private let air = VirtualAir(seed: 1)
    private var now = MonotonicTime.zero
    private var nodes: [AirNodeID] = []
    private var hosts: [HostMachine] = []
    private var controller = ScriptedController()
    private var links: [LinkID] = []
    /// Connection handles of the first host, by our role.
    private var central: UInt16 = 0
    private var peripheral: UInt16 = 0

    static let sensor = DeviceAddress(kind: .random, value: 0xC000_0000_0001)
    static let address = DeviceAddress(kind: .public, value: 0x0011_2233_4400)
    /// The only peer that may use LE legacy pairing.
    static let legacyPeer = sensor
    static let bondedPeer = DeviceAddress(kind: .public, value: 0x0011_2233_4401)

    var prepared: PreparedHost {
        var result = PreparedHost(hosts[0], at: now, controller, central: central, peripheral: peripheral)
        result.record(links: links)
        result.settle()
        return result
    }

    init() {
        for address in [Self.address, Self.bondedPeer] {
            nodes.append(air.attachController(address: address, settings: ControllerSettings()))
            hosts.append(HostMachine(randomAddress: DeviceAddress(kind: .random, value: 0xC000_0000_0F00)))
            hosts[hosts.count - 1].start(at: now)
        }
        _ = air.addSensor(
            VirtualSensor.Configuration(address: Self.sensor, name: "S", kind: .counter, rate: 1))
        run(for: .seconds(1))
        publish()
        hosts[0].setAdvertising(AdvertisingDemand(data: [2, 1, 6]), for: PreparedHost.client, at: now)
        hosts[0].connect(Self.sensor, for: PreparedHost.client, at: now)
        hosts[1].connect(Self.address, for: PreparedHost.client, at: now)
        run(for: .seconds(5))
        hosts[0].setScan(ScanDemand(services: nil, allowsDuplicates: true), for: PreparedHost.client, at: now)
        hosts[0].setAdvertising(AdvertisingDemand(data: [2, 1, 6]), for: PreparedHost.client, at: now)
        run(for: .seconds(2))
        hosts[0].policy.acceptsPairing = .open
        hosts[0].policy.ioCapability = .keyboardDisplay
        hosts[0].policy.replacement = .unlessWeaker
        hosts[0].policy.hasAgent = true
        hosts[0].policy.legacyPeers = [Self.legacyPeer]
        promise(central != 0 || peripheral != 0, "the links did not come up")
        promise(central != peripheral && links.count >= 2, "one link is missing")
    }

    private mutating func publish() {
        let short = { (value: UInt16) in BluetoothUUID(value) }
        let service = LocalService(
            uuid: short(0x1234),
            characteristics: [
                LocalCharacteristic(uuid: short(0x1235), properties: [.read, .write, .notify, .indicate]),
                LocalCharacteristic(
                    uuid: short(0x1236), properties: [.read, .writeWithoutResponse],
                    value: [UInt8](repeating: 7, count: 300)),
                LocalCharacteristic(
                    uuid: short(0x1237), properties: [.read, .write, .notify], value: [1, 2, 3], read: .encrypted,
                    write: .encrypted, notify: .encrypted),
            ])
        _ = hosts[0].publish(service, for: PreparedHost.client, at: now)
        _ = hosts[0].publish(spsm: 0x80, requirement: .none, for: PreparedHost.client)
        _ = hosts[0].publish(spsm: 0x81, requirement: .encrypted, for: PreparedHost.other)
    }

    private mutating func run(for limit: Duration) {
        let end = now + limit
        while true {
            exchange()
            guard let next = ([air.deadline] + hosts.map(\.deadline)).compactMap({ $0 }).min(), next <= end else {
                break
            }
            now = max(next, now)
            air.advance(to: now)
            for index in hosts.indices { hosts[index].advance(to: now) }
        }
        now = end
        air.advance(to: now)
        exchange()
    }

    private mutating func exchange() {
        var isMoving = true
        while isMoving {
            isMoving = false
            for index in hosts.indices {
                air.receive(hosts[index].takeOutbound(), from: nodes[index], at: now)
                let up = air.takeOutput(of: nodes[index])
                if index == 0 { learn(from: up) }
                forEachPacket(of: up) { hosts[index].received($0.span.bytes, at: now) }
                record(hosts[index].takeEvents(), of: index)
                if !up.isEmpty || hosts[index].hasOutbound { isMoving = true }
            }
        }
    }

    /// LE Connection Complete: the handle and our role.
    private mutating func learn(from up: [UInt8]) {
        controller.learn(from: up)
        var found: [(handle: UInt16, isCentral: Bool)] = []
        forEachPacket(of: up) { octets in
            guard octets.count >= 8, octets[0] == 4, octets[1] == 0x3E, [0x01, 0x0A].contains(octets[3]), octets[4] == 0
            else { return }
            found.append((UInt16(octets[5]) | UInt16(octets[6]) << 8, octets[7] == 0))
        }
        for link in found {
            if link.isCentral { central = link.handle } else { peripheral = link.handle }
        }
    }

    private mutating func record(_ batch: HostEventBatch, of index: Int) {
        guard index == 0 else { return }
        for event in batch.events {
            switch event {
            case .connected(let link, _, _), .linkUp(let link, _, _):
                if !links.contains(link) { links.append(link) }
            default: break
            }
        }
    }
}
