// SPDX-License-Identifier: Apache-2.0

import ATT
import BluetoothCore
import GATT
import L2CAP
import SMP

/// Requests that a peer refuses for want of security: the link gets it, and they are repeated once.
/// Core 5.4, Vol 3, Part C, 10.3.2.
extension HostMachine {
    /// What a peer finds wanting.
    private enum Need {
        /// A key, or a better one. ATT tells no difference.
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

    /// Notes a request that may have to be repeated once the link is better protected.
    mutating func noteRequest(_ request: GATTRequest, id: GATTRequestID, on handle: UInt16) {
        guard let link = links[handle], bond(of: link) != nil || pairing.policy(for: link.role).pairsOnDemand else {
            return
        }
        if let security = link.encryption.security, security.isAuthenticated, security.keySize == 16 { return }
        links[handle]?.hold.note(request, id: id)
    }

    /// True when the request is repeated, once, as soon as the link has what the server wants.
    mutating func repeats(
        _ id: GATTRequestID, _ result: Result<GATTResponse, GATTError>, on handle: UInt16, at now: MonotonicTime
    ) -> Bool {
        guard let request = links[handle]?.hold.answered(id), case .failure(let refusal) = result,
            case .refused(let error) = refusal, let need = Need(error), raiseSecurity(for: need, on: handle, at: now)
        else { return false }
        links[handle]?.hold.append(.request(request, id, refusal: refusal))
        return true
    }

    /// The same for a channel.
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

    /// True when encryption or a pairing is under way that may bring what the peer wants.
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
        // A bond that does not do is replaced only where that is allowed.
        guard bond == nil ? bonds.count < BondTable.capacity : policy.replacement == .unlessWeaker else { return false }
        var settings = pairingSettings(for: link)
        guard pairing.mayRisk(settings, with: link.bondAddress) else { return false }
        if let bond { settings.requireAtLeast(bond) }
        if let security = link.encryption.security {
            switch need {
            case .authentication:
                // With the same key again it would refuse again.
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

    /// The bond may be lost at the peer: that shows here, and is told.
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

    /// Our clients wait for a bonded Central: they get its link under the bond's key alone, so it is asked for it. A
    /// Central that encrypts by itself is asked in vain, and does no harm. GAP/SEC/AUT/BV-20-C and 22-C.
    mutating func testBond(on handle: UInt16, at now: MonotonicTime) {
        guard let link = links[handle], link.role == .peripheral, !link.isEnding, !isProven(link),
            wishes.isWanted(link.peer), !link.encryption.isChanging, !link.pairing.isBusy,
            !link.pairing.ignoresRequests, let bond = bond(of: link), pairing.policy(for: link.role).allows(bond)
        else { return }
        requestSecurity(on: handle, pairingSettings(for: link), for: .proveBond, at: now)
    }

    // MARK: Afterwards

    /// The link has what was wanting.
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

    /// It does not come.
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
    /// A pairing can be protected against somebody in the middle.
    fileprivate var canAuthenticate: Bool {
        ioCapability != .noInputNoOutput || passkey != nil || peerOutOfBand != nil || localOutOfBand != nil
    }
}
