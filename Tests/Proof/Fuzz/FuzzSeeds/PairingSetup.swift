// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import SMP

/// One machine's side of a pairing, as it begins an input of the target `smp`. It has all secrets, so that a recorded pairing ends the same
/// way when it is replayed.
package struct PairingSetup: Sendable {
    package struct OutOfBand: Sendable {
        /// The peer's, 16 octets each.
        package var confirm: [UInt8]
        package var random: [UInt8]

        package init(confirm: [UInt8], random: [UInt8]) { (self.confirm, self.random) = (confirm, random) }
    }

    package var role: LinkRole
    package var initiator: DeviceAddress
    package var responder: DeviceAddress
    package var ioCapability = IOCapability.noInputNoOutput
    package var offersSecureConnections = true
    package var allowsLegacy = false
    package var asksForAuthentication = false
    package var requiresAuthentication = false
    package var isBonding = true
    /// 7…16.
    package var maximumKeySize: UInt8 = 16
    /// 32 octets.
    package var privateKey: [UInt8]
    /// The nonces of the rounds in order, 16 octets each, at most 20.
    package var nonces: [[UInt8]]
    /// Our displayed number: 8 octets before they become digits.
    package var shown: [UInt8] = []
    /// What people enter.
    package var entered: UInt32 = 0
    package var peerData: OutOfBand?
    package var temporaryKey: SecretKey?
    /// Our random number for out-of-band data, 16 octets.
    package var localRandom: [UInt8]?

    package init(
        role: LinkRole, initiator: DeviceAddress, responder: DeviceAddress, privateKey: [UInt8], nonces: [[UInt8]]
    ) {
        (self.role, self.initiator, self.responder) = (role, initiator, responder)
        (self.privateKey, self.nonces) = (privateKey, nonces)
    }

    /// Nil without a valid private key.
    package var machine: PairingMachine? {
        guard let keyPair = KeyPair(privateKey: privateKey) else { return nil }
        var octets = (0..<PairingSecrets.octetCount).map { UInt8(truncatingIfNeeded: $0 &* 7) }
        for (round, nonce) in nonces.prefix(20).enumerated() where nonce.count == 16 {
            octets.replaceSubrange((16 * round)..<(16 * round + 16), with: nonce)
        }
        if shown.count == 8 { octets.replaceSubrange(320..<328, with: shown) }
        guard let secrets = PairingSecrets(keyPair: keyPair, octets: octets) else { return nil }
        var settings = PairingSettings(
            identity: role == .central ? initiator : responder,
            identityKey: SecretKey([UInt8](repeating: 0x1A, count: 16)))
        settings.ioCapability = ioCapability
        settings.offersSecureConnections = offersSecureConnections
        settings.allowsLegacy = allowsLegacy
        settings.asksForAuthentication = asksForAuthentication
        settings.requiresAuthentication = requiresAuthentication
        settings.isBonding = isBonding
        settings.maximumKeySize = maximumKeySize
        settings.minimumKeySize = 7
        settings.allowsDebugKey = true
        if peerData != nil || temporaryKey != nil {
            settings.peerOutOfBand = OutOfBandData(
                confirm: peerData?.confirm, random: peerData?.random, temporaryKey: temporaryKey)
        }
        settings.localOutOfBand = localRandom.map { LocalOutOfBandData(keyPair: keyPair, random: $0) }
        return PairingMachine(
            role: role, initiator: initiator, responder: responder, settings: settings, secrets: secrets)
    }
}

// MARK: As octets

extension PairingSetup {
    /// `take` returns the given number of next octets of an input.
    package init(_ take: (Int) -> [UInt8]) {
        func u8() -> UInt8 { take(1).first ?? 0 }
        func address() -> DeviceAddress {
            let kind: DeviceAddress.Kind = u8() & 1 == 0 ? .public : .random
            return DeviceAddress(kind: kind, value: take(6).reduce(0) { $0 << 8 | UInt64($1) })
        }
        let (flags, more) = (u8(), u8())
        let capability = IOCapability.allCases[Int(u8()) % IOCapability.allCases.count]
        let size = 7 + u8() % 10
        let (initiator, responder) = (address(), address())
        let privateKey = take(32)
        let rounds = Int(u8()) % 21
        self.init(
            role: flags & 1 == 0 ? .central : .peripheral, initiator: initiator, responder: responder,
            privateKey: privateKey, nonces: (0..<rounds).map { _ in take(16) })
        ioCapability = capability
        maximumKeySize = size
        offersSecureConnections = flags & 2 == 0
        allowsLegacy = flags & 4 != 0
        asksForAuthentication = flags & 8 != 0
        isBonding = flags & 16 == 0
        requiresAuthentication = flags & 32 != 0
        shown = take(8)
        entered = take(4).reduce(0) { $0 << 8 | UInt32($1) }
        if more & 1 != 0 { peerData = OutOfBand(confirm: take(16), random: take(16)) }
        if more & 2 != 0 { temporaryKey = SecretKey(take(16)) }
        if more & 4 != 0 { localRandom = take(16) }
    }

    package var octets: [UInt8] {
        func bit(_ condition: Bool, _ value: UInt8) -> UInt8 { condition ? value : 0 }
        func address(_ address: DeviceAddress) -> [UInt8] {
            [address.kind == .public ? 0 : 1]
                + (0..<6).map { UInt8(truncatingIfNeeded: address.value >> (40 - 8 * $0)) }
        }
        let flags =
            bit(role == .peripheral, 1) | bit(!offersSecureConnections, 2) | bit(allowsLegacy, 4)
            | bit(asksForAuthentication, 8) | bit(!isBonding, 16) | bit(requiresAuthentication, 32)
        let more = bit(peerData != nil, 1) | bit(temporaryKey != nil, 2) | bit(localRandom != nil, 4)
        var octets = [flags, more, UInt8(IOCapability.allCases.firstIndex(of: ioCapability) ?? 0), maximumKeySize - 7]
        octets += address(initiator) + address(responder) + privateKey + [UInt8(nonces.count)] + nonces.joined()
        octets += shown.isEmpty ? [UInt8](repeating: 0, count: 8) : shown
        octets += (0..<4).map { UInt8(truncatingIfNeeded: entered >> (24 - 8 * $0)) }
        if let peerData { octets += peerData.confirm + peerData.random }
        if let temporaryKey { octets += temporaryKey.octets }
        return octets + (localRandom ?? [])
    }
}
