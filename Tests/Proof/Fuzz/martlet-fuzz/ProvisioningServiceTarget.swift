// SPDX-License-Identifier: Apache-2.0

import ATT
import BluetoothCore
import BluetoothHost
import FuzzSeeds
import GATT
import L2CAP
import Provisioning
import SMP

/// A whole host with the configuration service, against a phone with any octets: a stranger, a phone that has paired by Just Works, a phone
/// that has a key without using it, or an owner. Without an owner's key the host neither reads, writes, sends nor accepts a subscription to
/// an owner's value. The host refuses strangers with 0x05, and never asks for security by itself.
struct ProvisioningServiceTarget: FuzzTarget {
    static let name = "provisioning-service"
    static let maximumLength = FuzzFormats.Limit.host

    private enum Phone: Int, CaseIterable {
        case stranger, justWorks, bonded, owner
    }

    static var seeds: [[UInt8]] {
        let requests: [[UInt8]] = [
            [0x02, 64, 0], [0x04, 1, 0, 0xFF, 0xFF], [0x06, 1, 0, 0xFF, 0xFF, 0, 0x28, 0x0D, 0x18],
            [0x10, 1, 0, 0xFF, 0xFF, 0, 0x28], [0x08, 1, 0, 0xFF, 0xFF, 3, 0x28], [0x08, 1, 0, 0xFF, 0xFF, 2, 0x29],
            [0x18, 1], [0x18, 0], [0x1E], [0x3F, 1, 2],
        ]
        /// Opcodes followed by one handle, or two.
        let aims: [(opcode: UInt8, rest: [UInt8])] = [
            (0x0A, []), (0x0C, [0, 0]), (0x0C, [9, 0]), (0x0E, [0x22, 0]), (0x20, [0x22, 0]), (0x12, [1, 0]),
            (0x52, [1, 0]), (0x16, [0, 0, 1, 2]), (0xD2, [UInt8](repeating: 2, count: 13)),
        ]
        return Phone.allCases.flatMap { phone in
            let first = UInt8(phone.rawValue)
            var plain = FuzzScript(first)
            for request in requests {
                plain.add(0, 27)
                plain.add(counted: request)
            }
            for item in ProvisioningTable.Item.allCases {
                plain.add(0, 27)
                plain.add(counted: [0x08, 1, 0, 0xFF, 0xFF] + item.uuid.attributeOctets)
            }
            let aimed = aims.indices.map { number in
                var script = FuzzScript(first)
                for handle in 0..<UInt8(clamping: handles.count) {
                    script.add(1, UInt8(number), handle)
                    script.add(counted: aims[number].rest)
                    if aims[number].opcode == 0x16 { script.add(3, 1) }
                }
                return Array(script.octets.prefix(maximumLength))
            }
            return [plain.octets] + aimed
        }
    }

    private static let opcodes: [UInt8] = [0x0A, 0x0C, 0x0C, 0x0E, 0x20, 0x12, 0x52, 0x16, 0xD2]

    /// Handles of the service and of its descriptors.
    private static let handles: [UInt16] = {
        guard let range = prepared[0].published else { return [] }
        return Array(range.start...range.end)
    }()

    private static let prepared: [(host: PreparedHost, published: ATTPDU.HandleRange?)] = Phone.allCases.map(prepare)

    private static func prepare(_ phone: Phone) -> (PreparedHost, ATTPDU.HandleRange?) {
        var host = PreparedHost.busy
        let items = ProvisioningTable.Item.allCases
        let service = LocalService(uuid: ProvisioningTable.service, characteristics: items.map(characteristic))
        guard let published = try? host.host.publish(service, for: PreparedHost.client, at: host.now).get() else {
            promise(false, "the configuration service is not taken")
            return (host, nil)
        }
        for (item, place) in zip(items, published.characteristics) {
            if item.reading != .everybody { host.guarded.reads.insert(place.valueHandle) }
            host.guarded.writes.insert(place.valueHandle)
        }
        host.host.policy.requiresAuthentication = true
        host.guarded.isTrusted = phone == .owner
        if phone != .stranger, let key = SecretKey([UInt8](repeating: 0x42, count: 16)),
            let bond = Bond(
                identity: HostRehearsal.bondedPeer, keys: .secureConnections(key), isAuthenticated: phone != .justWorks)
        {
            _ = host.host.store(bond)
        }
        host.settle()
        if phone == .justWorks || phone == .owner { encrypt(&host) }
        // The rehearsal is worth something: the owner's read is let through.
        let handle = published.characteristics.last?.valueHandle ?? 0
        host.receive(frame: L2CAPFrame.encode(read(handle), on: .attributeProtocol), onPeripheralLink: true, pieces: 27)
        host.settle()
        promise(host.guardedUses == (phone == .owner ? 1 : 0), "the \(phone) has read \(host.guardedUses) values")
        return (host, published.handles)
    }

    /// A controller's events: the peer asks for the key, and then the link is encrypted.
    private static func encrypt(_ host: inout PreparedHost) {
        let handle = [UInt8(truncatingIfNeeded: host.peripheralLink), UInt8(host.peripheralLink >> 8)]
        host.receive(event: 0x3E, [5] + handle + [UInt8](repeating: 0, count: 10))
        host.settle()
        host.receive(event: 0x08, [0] + handle + [1])
        host.settle()
    }

    private static func read(_ handle: UInt16) -> [UInt8] {
        [0x0A, UInt8(truncatingIfNeeded: handle), UInt8(handle >> 8)]
    }

    private static func characteristic(_ item: ProvisioningTable.Item) -> LocalCharacteristic {
        func access(_ access: ProvisioningTable.Access) -> AttributeAccess {
            switch access {
            case .nobody: .denied
            case .everybody: .open
            case .owner: AttributeAccess(level: .secureConnections)
            }
        }
        var properties: CharacteristicProperties = []
        if item.reading != .nobody { properties.insert(.read) }
        if item.writing != .nobody { properties.insert(.write) }
        if item.notifies { properties.insert(.notify) }
        return LocalCharacteristic(
            uuid: item.uuid, properties: properties, read: access(item.reading), write: access(item.writing),
            notify: access(.owner),
            descriptors: [
                LocalDescriptor(uuid: BluetoothUUID(UInt16(0x2901)), value: Array(item.userDescription.utf8))
            ])
    }

    init() {}

    mutating func run(_ octets: [UInt8]) {
        var input = FuzzInput(octets)
        let phone = Phone.allCases[input.pick(Phone.allCases.count)]
        var host = Self.prepared[phone.rawValue].host
        while !input.isAtEnd { step(&host, phone, &input) }
        host.check()
    }

    private mutating func step(_ host: inout PreparedHost, _ phone: Phone, _ input: inout FuzzInput) {
        switch input.pick(7) {
        case 0:
            let pieces = Int(input.u8())
            send(&host, phone, input.counted(), on: .attributeProtocol, pieces: pieces)
        case 1:
            let (opcode, handle) = (input.pick(Self.opcodes), input.pick(Self.handles))
            let pdu = [opcode] + Self.read(handle).dropFirst() + input.counted()
            send(&host, phone, pdu, on: .attributeProtocol, pieces: 27)
        case 2: send(&host, phone, input.counted(), on: .securityManager, pieces: 27)
        case 3: send(&host, phone, [0x18, input.u8() & 1], on: .attributeProtocol, pieces: 27)
        case 4:
            let value = [UInt8](repeating: 9, count: Int(input.u8()))
            let handle = input.pick(Self.handles)
            host.host.update(handle, value, on: host.links, for: PreparedHost.client, at: host.now)
            look(host.settle(keeping: true), host, phone)
        case 5: host.advance(by: .milliseconds(Int(input.u8()) << 6))
        default: send(&host, phone, input.counted(), on: .leSignalling, pieces: 27)
        }
    }

    private func send(
        _ host: inout PreparedHost, _ phone: Phone, _ pdu: [UInt8], on channel: ChannelIdentifier, pieces: Int
    ) {
        host.receive(frame: L2CAPFrame.encode(pdu, on: channel), onPeripheralLink: true, pieces: pieces)
        look(host.settle(keeping: true), host, phone)
    }

    // MARK: Output

    private func look(_ sent: [UInt8], _ host: PreparedHost, _ phone: Phone) {
        var frame: [UInt8] = []
        forEachPacket(of: sent) { packet in
            guard packet.count > 5, packet[0] == 2 else { return }
            let handle = UInt16(packet[1]) | UInt16(packet[2] & 0x0F) << 8
            guard handle == host.peripheralLink else { return }
            if packet[2] & 0x30 != 0x10 { frame = [] }
            frame += packet[5...]
            guard frame.count >= 4, frame.count == 4 + Int(frame[0]) + Int(frame[1]) << 8 else { return }
            if frame[2] == 6 { promise(frame[4] != 0x0B, "the host asks for security") }
            if frame[2] == 4 { look(at: Array(frame.dropFirst(4)), host, phone) }
        }
    }

    private func look(at pdu: [UInt8], _ host: PreparedHost, _ phone: Phone) {
        guard phone != .owner, pdu.count >= 3 else { return }
        func handle(at index: Int) -> UInt16 { UInt16(pdu[index]) | UInt16(pdu[index + 1]) << 8 }
        switch pdu[0] {
        case 0x1B, 0x1D, 0x23: promise(!host.guarded.reads.contains(handle(at: 1)), "\(handle(at: 1)) is sent")
        case 0x17: promise(!host.guarded.writes.contains(handle(at: 1)), "\(handle(at: 1)) takes a prepared write")
        case 0x01 where pdu.count == 5:
            let isRead = [0x0A, 0x0C].contains(pdu[1]) && host.guarded.reads.contains(handle(at: 2))
            let isWrite = [0x12, 0x16].contains(pdu[1]) && host.guarded.writes.contains(handle(at: 2))
            guard isRead || isWrite else { return }
            // The host answers "not permitted" before it looks at the peer's rights.
            let codes: [UInt8] = phone == .bonded ? [0x02, 0x03, 0x05, 0x0F] : [0x02, 0x03, 0x05]
            promise(codes.contains(pdu[4]), "handle \(handle(at: 2)) is refused with \(pdu[4])")
        default: break
        }
    }
}
