// SPDX-License-Identifier: Apache-2.0

import ATT
import BluetoothCore
import BluetoothHost
import FuzzSeeds
import GATT
import HCI
import L2CAP
import SMP

/// A whole busy host: packets of the controller, PDUs of peers, its clients' calls, and time, in any order.
struct HostTarget: FuzzTarget {
    static let name = "host"
    static let maximumLength = FuzzFormats.Limit.host

    static var seeds: [[UInt8]] {
        let pdus: [(channel: UInt8, octets: [UInt8])] = [
            (4, [0x03, 64, 0]), (4, [0x02, 64, 0]), (4, [0x0A, 0x22, 0]), (4, [0x12, 0x23, 0, 3, 0]), (4, [0x1E]),
            (4, [0x1B, 3, 0, 1]), (4, [0x1D, 3, 0, 1]), (4, [0x23, 3, 0, 1, 0, 9, 4, 0, 1, 0, 8]),
            (4, [0x11, 6, 1, 0, 9, 0, 0, 0x18]), (4, [0x01, 0x10, 1, 0, 0x0A]),
            (5, [0x14, 1, 10, 0, 0x80, 0, 0x40, 0, 64, 0, 64, 0, 4, 0]), (0x40, [3, 0, 1, 2, 3]),
            (5, [0x12, 2, 8, 0, 6, 0, 12, 0, 0, 0, 100, 0]), (5, [0x16, 3, 4, 0, 0x40, 0, 9, 0]),
            (5, [0x06, 4, 4, 0, 0x40, 0, 0x40, 0]), (6, [1, 4, 0, 1, 16, 7, 7]), (6, [0x0B, 1]),
        ]
        var (calls, frames) = (FuzzScript(), FuzzScript())
        for (number, pdu) in pdus.enumerated() {
            frames.add(UInt8(number & 1), pdu.channel, 27)
            frames.add(counted: pdu.octets)
            calls.add(5, UInt8(number), UInt8(number * 3), 3)
            calls.add(UInt8(1 - number & 1), pdu.channel, 27)
            calls.add(counted: pdu.octets)
            calls.add(4, 20)
        }
        var raw = FuzzScript()
        for packet in [[4, 0x05, 4, 0, 1, 0, 0x13], [4, 0x10, 1, 9], [2, 1, 0x20, 0, 0], [3, 0, 0, 0], [9]] as [[UInt8]]
        {
            raw.add(2)
            raw.add(counted: packet)
            raw.add(3, 0x3E)
            raw.add(counted: [1, 0, 1, 0, 0, 1] + packet)
            raw.add(6, 2, 4, 200, 7, 1)
        }
        let lists = [frames.octets, calls.octets, raw.octets, calls.octets + raw.octets + frames.octets]
        return lists + PairingRecording.all.map(\.script)
    }

    private static let peers = [
        HostRehearsal.bondedPeer, DeviceAddress(kind: .random, value: 0xC000_0000_0001),
        DeviceAddress(kind: .random, value: 0x4000_0000_0001), DeviceAddress(kind: .public, value: 7),
    ]

    private var number: UInt64 = 0

    init() {}

    mutating func run(_ octets: [UInt8]) {
        var input = FuzzInput(octets)
        var host = PreparedHost.busy
        while !input.isAtEnd {
            if step(&host, &input) { host.settle() }
        }
        host.check()
    }

    /// False if the next packet comes before the host's answers.
    mutating func step(_ host: inout PreparedHost, _ input: inout FuzzInput) -> Bool {
        switch input.pick(8) {
        case let side where side < 2:
            let channel = ChannelIdentifier(rawValue: UInt16(input.u8()))
            let pieces = Int(input.u8())
            let frame = L2CAPFrame.encode(input.counted(), on: channel)
            host.receive(frame: frame, onPeripheralLink: side == 1, pieces: pieces)
        case 2: host.receive(input.counted())
        case 3: host.receive(event: input.u8(), input.counted())
        case 4: host.advance(by: .milliseconds(Int(input.u8()) << 6))
        case 5: call(&host, &input)
        case 6:
            let choice = input.u8()
            (host.status, host.isMute) = (choice & 1 == 0 ? 0 : choice, choice & 2 != 0)
        default: return false
        }
        return true
    }

    /// A client wants something.
    private mutating func call(_ host: inout PreparedHost, _ input: inout FuzzInput) {
        let kind = input.pick(25)
        let choice = input.u8()
        let now = host.now
        let client = choice & 1 == 0 ? PreparedHost.client : PreparedHost.other
        let link = host.links.isEmpty ? LinkID(rawValue: 0) : host.links[Int(choice) % host.links.count]
        number += 1
        let id = GATTRequestID(client: client, number: number)
        let handle = UInt16(choice & 0x3F)
        switch kind {
        case 0: host.host.connect(Self.peers[Int(choice >> 1 & 3)], for: client, at: now)
        case 1: host.host.disconnect(Self.peers[Int(choice >> 1 & 3)], for: client, at: now)
        case 2: host.host.request(.discoverServices(nil), id: id, on: link, at: now)
        case 3: host.host.request(.read(handle: handle), id: id, on: link, at: now)
        case 4: host.host.request(.write(handle: handle, value: [choice]), id: id, on: link, at: now)
        case 5:
            host.host.request(
                .configure(valueHandle: handle, endHandle: handle + 2, choice & 2 == 0 ? .none : .indication), id: id,
                on: link, at: now)
        case 6: host.host.writeCommand([choice], to: handle, on: link, for: client, at: now)
        case 7:
            let indication = choice & 2 == 0 ? nil : IndicationNumber(rawValue: UInt32(choice >> 2))
            host.host.confirm(link, indication, for: client, at: now)
        case 8: host.host.readRSSI(of: link, id: id, at: now)
        case 9:
            let demand = ScanDemand(services: nil, allowsDuplicates: choice & 2 == 0, isPassive: choice & 4 == 0)
            host.host.setScan(choice & 8 == 0 ? demand : nil, for: client, at: now)
        case 10:
            let demand = AdvertisingDemand(data: [2, 1, 6], kind: choice & 2 == 0 ? .connectable : .scannable)
            host.host.setAdvertising(choice & 8 == 0 ? demand : nil, for: client, at: now)
        case 11: host.host.openChannel(spsm: UInt16(choice), on: link, id: id, at: now)
        case 12:
            guard let channel = host.channels.last else { return }
            _ = host.host.send([UInt8](repeating: 9, count: Int(choice) * 8), on: channel, at: now)
        case 13:
            guard let channel = host.channels.last else { return }
            host.host.close(channel, sending: [[1, 2, 3]], at: now)
        case 14: host.host.update(0x22, [UInt8](repeating: 1, count: Int(choice)), on: [link], for: client, at: now)
        case 15: host.host.unpublishAll(for: client, at: now)
        case 16: store(&host, choice)
        case 17: _ = host.host.encrypt(link, refreshing: choice & 2 == 0, at: now)
        case 18: host.host.removeClient(client, at: now)
        case 19: host.host.invalidateCache(of: Self.peers[Int(choice >> 1 & 3)], at: now)
        default: secure(&host, link, kind - 20, choice)
        }
    }

    /// A client, or an agent, has to do with pairings.
    private func secure(_ host: inout PreparedHost, _ link: LinkID, _ kind: Int, _ choice: UInt8) {
        let now = host.now
        switch kind {
        case 0:
            _ = host.host.pair(link, at: now) { settings in
                if choice & 2 != 0 { settings.ioCapability = .noInputNoOutput }
                if choice & 4 != 0 { settings.requiresAuthentication = true }
                if choice & 8 != 0 { settings.passkey = 271_828 }
            }
        case 1:
            let answers: [PairingAnswer] = [.yes, .no, .passkey(271_828), .passkey(1_000_000)]
            host.host.answer(answers[Int(choice >> 1 & 3)], onPairing: host.asked ?? link, at: now)
            host.asked = nil
        case 2: host.host.cancelPairing(on: link, at: now)
        case 3:
            host.host.policy.acceptsPairing = choice & 1 == 0 ? .open : .openUntil(now + .seconds(Int(choice >> 4)))
            host.host.policy.ioCapability = choice & 2 == 0 ? .keyboardDisplay : .noInputNoOutput
            host.host.policy.hasAgent = choice & 4 == 0
            host.host.policy.requiresAuthentication = choice & 8 != 0
        default:
            guard let key = SecretKey([UInt8](repeating: 0x1A, count: 16)) else { return }
            let mode: PrivacyMachine.Mode = choice & 2 == 0 ? .resolvable : choice & 4 == 0 ? .nonResolvable : .off
            host.host.setPrivacy(mode, choice & 8 == 0 ? .everything : .advertising, identityKey: key, at: now)
        }
    }

    private func store(_ host: inout PreparedHost, _ choice: UInt8) {
        let identity = Self.peers[Int(choice & 1)]
        guard choice & 2 == 0, let key = SecretKey([UInt8](repeating: 0x42, count: 16)),
            let bond = Bond(identity: identity, keys: .secureConnections(key), isAuthenticated: choice & 4 == 0)
        else { return host.host.removeBond(with: identity) }
        _ = host.host.store(bond)
    }
}
