// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import SMP

/// Pairings, as clients and agents use them.
extension HostMachine {
    /// Pairs with the peer of a link, whatever the window says. `settings` changes the policy's settings for this
    /// pairing. A bond stays in place until the new bond is made.
    package mutating func pair(
        _ link: LinkID, at now: MonotonicTime, _ settings: (inout PairingSettings) -> Void = { _ in }
    ) -> PairingStart {
        guard let handle = links.handle(of: link), let found = links[handle], !found.isEnding, !found.pairing.isOver
        else {
            return .noLink
        }
        // A request without a client's wish ends without an event for clients. The client's wish therefore starts a
        // request of its own.
        guard found.pairing.run == nil, found.pairing.request.map({ $0.purpose != .pairing }) ?? true else {
            return .isPairing
        }
        var wanted = pairingSettings(for: found)
        settings(&wanted)
        if let bond = bond(of: found) {
            guard pairing.policy(for: found.role).replacement == .unlessWeaker else { return .isBonded }
            wanted.requireAtLeast(bond)
        } else if wanted.isBonding, bonds.count >= BondTable.capacity {
            return .noRoom
        }
        if let wait = pairing.wait(for: found.bondAddress, isOurs: true, at: now) { return .tooSoon(wait) }
        startPairing(on: handle, wanted, for: .pairing, at: now)
        pump(at: now)
        return .started
    }

    /// Answers the question of the pairing on this link. Without a question, nothing happens.
    package mutating func answer(_ answer: PairingAnswer, onPairing link: LinkID, at now: MonotonicTime) {
        guard let handle = links.handle(of: link) else { return }
        let effects = links[handle]?.pairing.tell { $0.answer(answer, at: now) } ?? []
        perform(effects, on: handle, at: now)
        pump(at: now)
    }

    /// Ends the pairing on this link, and tells the peer.
    package mutating func cancelPairing(on link: LinkID, at now: MonotonicTime) {
        guard let handle = links.handle(of: link) else { return }
        if let request = links[handle]?.pairing.takeRequest() {
            requestEnded(request, on: handle, .refused(.unspecifiedReason), at: now)
        }
        let effects = links[handle]?.pairing.tell { $0.cancel(.unspecifiedReason, at: now) } ?? []
        perform(effects, on: handle, at: now)
        pump(at: now)
    }

    // MARK: Secrets

    /// ``provide(pairingSecrets:)`` should be called before more comes in.
    package var wantsPairingSecrets: Bool { pairing.wantsSecrets }

    /// Takes the secrets of one pairing. Unwanted secrets are dropped.
    package mutating func provide(pairingSecrets secrets: PairingSecrets) { pairing.provide(secrets) }

    // MARK: Settings

    /// The policy's settings for pairings with this peer.
    func pairingSettings(for link: Link) -> PairingSettings {
        pairing.settings(for: link, identity: identityAddress, key: identityKey)
    }

    /// The bond with the peer of a link.
    func bond(of link: Link) -> Bond? { bonds.bond(for: link.bondAddress) }
}

extension PairingSettings {
    /// Raises the requirements to the level of `bond`: a weaker pairing is refused before there is a key.
    mutating func requireAtLeast(_ bond: Bond) {
        if bond.isAuthenticated { requiresAuthentication = true }
        if bond.isSecureConnections { allowsLegacy = false }
        minimumKeySize = max(minimumKeySize, bond.keySize)
    }

    /// AuthReq of a Security Request. Core 5.4, Vol 3, Part H, 3.5.1.
    var authenticationRequirements: UInt8 {
        let asks = requiresAuthentication || asksForAuthentication
        return (isBonding ? 0x01 : 0) | (asks ? 0x04 : 0) | (offersSecureConnections ? 0x08 : 0)
    }
}
