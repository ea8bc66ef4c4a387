// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import BluetoothHost
import GATT
import HCI
import SMP
import VirtualRadio

/// Private addresses, ours and the tester's.
extension Bench {
    static let ownIdentityKey = secret(0x31)
    static let testerIdentityKey = secret(0x32)

    /// Our host takes a private address. Returns the address.
    func becomePrivate(_ mode: PrivacyMachine.Mode = .resolvable) throws -> DeviceAddress {
        host.setPrivacy(mode, identityKey: Self.ownIdentityKey, at: now)
        host.provide(randomness: counting(64, from: 1), at: now)
        guard run(for: .seconds(1), until: { host.privacy.address != nil }), let address = host.privacy.address else {
            throw ScriptFailure("the host has no private address")
        }
        let isPrivate = mode == .resolvable ? address.isResolved(by: Self.ownIdentityKey) : address.value >> 46 == 0
        try require(isPrivate && address.kind == .random, "\(address) is no such address")
        return address
    }

    /// Gives the tester a private address, which our host can resolve by their bond. Returns the address.
    @discardableResult
    func testerIsPrivate(_ random: UInt32 = 1) throws -> DeviceAddress {
        try storeBond(identityKey: Self.testerIdentityKey)
        let address = DeviceAddress.resolvable(Self.testerIdentityKey, random: random)
        try peer.setRandomAddress(address)
        return address
    }

    /// Controllers that resolve addresses, and make private addresses.
    static let resolving = ControllerSettings(resolvingListSize: 4)

    /// The tester's controller gets both keys. It will advertise from a private address of its making to our private
    /// address, also of its making.
    func testerResolves() throws {
        try storeBond(identityKey: Self.testerIdentityKey)
        try peer.order(
            .leAddDeviceToResolvingList,
            [0] + address48(Self.hostAddress) + Self.ownIdentityKey.littleEndian + Self.testerIdentityKey.littleEndian)
        try peer.order(.leSetAddressResolutionEnable, [1])
    }

    func testerDirects() throws {
        // ADV_DIRECT_IND of low duty cycle; address type 2: private, else public.
        try peer.order(
            .leSetAdvertisingParameters,
            little(0xA0) + little(0xA0) + [4, 2, 0] + address48(Self.hostAddress) + [0x07, 0x00])
        try peer.order(.leSetAdvertisingEnable, [1])
    }

    /// The client is told of a connection to the tester under its identity address. Both sides have private addresses,
    /// and both hosts know them.
    func connectsPrivately() throws {
        let peer = try wait(for: "a connection", within: .seconds(20)) {
            if case .connected(_, let peer, _) = $0 { peer } else { nil }
        }
        try require(peer == RawPeer.publicAddress, "the client was told of \(peer)")
        run(for: .seconds(1), until: { !self.peer.handles.isEmpty })
        let event = self.peer.takeEvent { $0[0] == 0x3E && $0[2] == 0x0A && $0[3] == 0 ? $0 : nil }
        guard let event else { throw ScriptFailure("the tester's controller told of no connection") }
        try require(
            event[7] == 2 && Array(event[8..<14]) == address48(Self.hostAddress), "the tester saw \(text(event))")
        let seen = [event[14..<20], event[20..<26]].map { octets in
            DeviceAddress(kind: .random, value: octets.reversed().reduce(0) { $0 << 8 | UInt64($1) })
        }
        try require(seen[0].isResolved(by: Self.testerIdentityKey), "the tester was on the air as \(seen[0])")
        try require(seen[1].isResolved(by: Self.ownIdentityKey), "our host was on the air as \(seen[1])")
    }

    /// The address with which our host, as the Central, has connected to the tester.
    func centralAddress() throws -> DeviceAddress {
        let found = peer.takeEvent { event -> DeviceAddress? in
            guard event[0] == 0x3E, [0x01, 0x0A].contains(event[2]), event[3] == 0 else { return nil }
            let value = event[8..<14].reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
            return DeviceAddress(kind: event[7] & 1 == 0 ? .public : .random, value: value)
        }
        guard let found else { throw ScriptFailure("the tester's controller told of no connection") }
        return found
    }

    /// The client is told of a connection to the tester under its identity address. Our host has used `own`.
    func connectsToTester(from own: DeviceAddress) throws {
        let peer = try wait(for: "a connection", within: .seconds(20)) {
            if case .connected(_, let peer, _) = $0 { peer } else { nil }
        }
        try require(peer == RawPeer.publicAddress, "the client was told of \(peer)")
        run(for: .seconds(1), until: { !self.peer.handles.isEmpty })
        let seen = try centralAddress()
        try require(seen == own, "our host is \(own); the tester saw \(seen)")
    }

    /// The link is encrypted with the bond's key, and used.
    func isUsedEncrypted() throws {
        try keyIsWanted()
        try givesKey()
        _ = try toldEncrypted()
        try isUsed()
    }

    func isUsed() throws {
        try expects(att: "02 ?? ??")
        try send(att: "03 17 00")
        try ask(.read(handle: 3))
        try answers("0A 03 00", with: "0B 01")
        try told(value: "01")
    }

    /// The client ends the link.
    func disconnects() throws {
        host.disconnect(RawPeer.publicAddress, for: Self.client, at: now)
        try disconnected(.localHostTerminated)
        try expects(event: HCIEventCode.disconnectionComplete)
    }
}
