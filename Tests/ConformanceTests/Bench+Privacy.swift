// SPDX-License-Identifier: Apache-2.0

import SMP
import BluetoothCore
import BluetoothHost
import GATT
import HCI

/// Private addresses, ours and the tester's.
extension Bench {
    static let ownIdentityKey = secret(0x31)
    static let testerIdentityKey = secret(0x32)

    /// Our host takes a private address, and gives it.
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

    /// The tester has a private address, which our host can resolve by their bond; gives it.
    @discardableResult
    func testerIsPrivate(_ random: UInt32 = 1) throws -> DeviceAddress {
        try storeBond(identityKey: Self.testerIdentityKey)
        let address = DeviceAddress.resolvable(Self.testerIdentityKey, random: random)
        try peer.setRandomAddress(address)
        return address
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

    /// The client is told of a connection to the tester under its identity address; our host has used `own`.
    func connectsToTester(from own: DeviceAddress) throws {
        let peer = try wait(for: "a connection", within: .seconds(20)) {
            if case .connected(_, let peer, _) = $0 { peer } else { nil }
        }
        try require(peer == RawPeer.publicAddress, "the client was told of \(peer)")
        run(for: .seconds(1), until: { !self.peer.handles.isEmpty })
        let seen = try centralAddress()
        try require(seen == own, "our host is \(own); the tester saw \(seen)")
    }

    /// The link is encrypted with the key of the bond, and used.
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
