// SPDX-License-Identifier: Apache-2.0

import ATT
import BluetoothCore
import GATT
import L2CAP
import SMP

/// Requests refused for lack of security. The link gets the security, and each request is repeated once. Core 5.4, Vol
/// 3, Part C, 10.3.2.
extension HostMachine {
    /// The security that a peer asks for.
    private enum Need {
        /// A key, or a better key. ATT makes no difference.
        case authentication
        case encryption
        case longerKey

        init?(_ error: ATTErrorCode) {
            switch error {
            case .insufficientAuthentication: self = .authentication
            case .insufficientEncryption: self = .encryption
            case .encryptionKeySizeTooShort: self = .longerKey
            default: return nil
            }
        }

        init?(_ result: ConnectionResult) {
            switch result {
            case .insufficientAuthentication: self = .authentication
            case .insufficientEncryption: self = .encryption
            case .encryptionKeySizeTooShort: self = .longerKey
            default: return nil
            }
        }
    }

    /// Notes a request that may have to be repeated on a better protected link.
    mutating func recordRequest(_ request: GATTRequest, id: GATTRequestID, on handle: UInt16) {
        guard let link = links[handle], bond(of: link) != nil || pairing.policy(for: link.role).pairsOnDemand else {
            return
        }
        if let security = link.encryption.security, security.isAuthenticated, security.keySize == 16 { return }
        links[handle]?.hold.record(request, id: id)
    }

    /// True if the request will be repeated, once, when the link has the wanted security.
    mutating func repeats(
        _ id: GATTRequestID, _ result: Result<GATTResponse, GATTError>, on handle: UInt16, at now: MonotonicTime
    ) -> Bool {
        guard let request = links[handle]?.hold.answered(id), case .failure(let refusal) = result,
            case .refused(let error) = refusal, let need = Need(error), raiseSecurity(for: need, on: handle, at: now)
        else { return false }
        links[handle]?.hold.append(.request(request, id, refusal: refusal))
        return true
    }

    /// True if the opening of a channel will be repeated, once, when the link has the wanted security.
    mutating func repeats(_ effect: L2CAPMachine.Effect, on handle: UInt16, at now: MonotonicTime) -> Bool {
        switch effect {
        case .channel(.opened(_, let tag?)):
            _ = links[handle]?.hold.answered(channel: tag)
            return false
        case .channel(.failed(let tag, let failure)):
            guard let spsm = links[handle]?.hold.answered(channel: tag), case .refused(let result) = failure,
                let need = Need(result), raiseSecurity(for: need, on: handle, at: now)
            else { return false }
            links[handle]?.hold.append(.channel(spsm: spsm, tag: tag, refusal: failure))
            return true
        default:
            return false
        }
    }

    /// True if encryption or a pairing is under way, and may bring the wanted security.
    private mutating func raiseSecurity(for need: Need, on handle: UInt16, at now: MonotonicTime) -> Bool {
        guard let link = links[handle], !link.isEnding else { return false }
        if link.encryption.isChanging || link.pairing.isBusy { return true }
        let (bond, policy) = (bond(of: link), pairing.policy(for: link.role))
        if !link.encryption.isEncrypted, let bond, policy.allows(bond) {
            return encryptOnDemand(link, on: handle, at: now)
        }
        guard policy.pairsOnDemand, !link.pairing.isOver,
            pairing.wait(for: link.bondAddress, isOurs: true, at: now) == nil
        else { return false }
        // An insufficient bond is replaced only if the policy allows it.
        guard bond == nil ? bonds.count < BondTable.capacity : policy.replacement == .unlessWeaker else { return false }
        var settings = pairingSettings(for: link)
        guard pairing.mayRisk(settings, with: link.bondAddress) else { return false }
        if let bond { settings.requireAtLeast(bond) }
        if let security = link.encryption.security {
            switch need {
            case .authentication:
                // With the same key, the peer would refuse again.
                guard !security.isAuthenticated, settings.canAuthenticate else { return false }
                settings.requiresAuthentication = true
            case .longerKey:
                guard security.keySize < 16 else { return false }
                settings.minimumKeySize = 16
            case .encryption:
                return false
            }
        }
        guard link.role == .central || !link.pairing.ignoresRequests else { return false }
        startPairing(on: handle, settings, for: .demand, at: now)
        return links[handle]?.pairing.isBusy == true
    }

    /// The peer may have lost the bond. This step shows the loss, and clients are told.
    private mutating func encryptOnDemand(_ link: Link, on handle: UInt16, at now: MonotonicTime) -> Bool {
        switch link.role {
        case .central:
            return startEncryption(on: handle, at: now) == .started
        case .peripheral:
            guard !link.pairing.ignoresRequests else { return false }
            requestSecurity(on: handle, pairingSettings(for: link), for: .proveBond, at: now)
            return true
        }
    }

    /// Clients wait for a bonded Central. They get its link only under the bond's key, so the host asks for encryption.
    /// A Central that encrypts by itself loses nothing by the question. GAP/SEC/AUT/BV-20-C and 22-C.
    mutating func testBond(on handle: UInt16, at now: MonotonicTime) {
        guard let link = links[handle], link.role == .peripheral, !link.isEnding, !isProven(link),
            wishes.isWanted(link.peer), !link.encryption.isChanging, !link.pairing.isBusy,
            !link.pairing.ignoresRequests, let bond = bond(of: link), pairing.policy(for: link.role).allows(bond)
        else { return }
        requestSecurity(on: handle, pairingSettings(for: link), for: .proveBond, at: now)
    }

    // MARK: Afterwards

    /// The link has the missing security.
    mutating func repeatHeld(on handle: UInt16, at now: MonotonicTime) {
        for repetition in links[handle]?.hold.takeRepetitions() ?? [] {
            switch repetition {
            case .request(let request, let id, _):
                let effects = links[handle]?.gatt.request(request, id: id, at: now) ?? []
                perform(effects, on: handle, at: now)
            case .channel(let spsm, let tag, _):
                let effects = links[handle]?.l2cap.open(spsm: spsm, tag: tag, at: now) ?? []
                perform(effects.map { .channel($0) }, on: handle)
            }
        }
    }

    /// The missing security does not come.
    mutating func refuseHeld(on handle: UInt16) {
        for repetition in links[handle]?.hold.takeRepetitions() ?? [] { refuse(repetition) }
    }

    mutating func refuse(_ repetition: LinkHold.Repetition, isLinkLost: Bool = false) {
        switch repetition {
        case .request(_, let id, let refusal):
            complete(id, .failure(isLinkLost ? .disconnected : refusal))
        case .channel(_, let tag, let refusal):
            let id = GATTRequestID(rawValue: tag)
            events.append(.channel(.failed(id, isLinkLost ? .linkLost : refusal)), for: ClientSet(id.client))
        }
    }
}

extension PairingSettings {
    /// A pairing with these settings can be protected against a man in the middle.
    fileprivate var canAuthenticate: Bool {
        ioCapability != .noInputNoOutput || passkey != nil || peerOutOfBand != nil || localOutOfBand != nil
    }
}
