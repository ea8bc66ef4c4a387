// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import GATT
import L2CAP
import SMP

/// How pairings begin, and how they are refused. Core 5.4, Vol 3, Part H, 2.4.6 and 3.5.
extension HostMachine {
    /// Codes of the Security Manager that may come outside of a pairing. Core 5.4, Vol 3, Part H, 3.3.
    private enum Code {
        static let pairingRequest: UInt8 = 0x01
        static let pairingFailed: UInt8 = 0x05
        static let securityRequest: UInt8 = 0x0B
    }

    /// The longest PDU of the Security Manager is Pairing Public Key. Core 5.4, Vol 3, Part H, 3.5.6.
    private static let longestPairingPDU = 65

    // MARK: By us

    /// Begins as the Central, asks for security as the Peripheral.
    mutating func startPairing(
        on handle: UInt16, _ settings: PairingSettings, for purpose: LinkPairing.Request.Purpose, at now: MonotonicTime
    ) {
        guard let link = links[handle] else { return }
        switch link.role {
        case .central: beginPairing(on: handle, settings, isOurs: true, at: now)
        case .peripheral: requestSecurity(on: handle, settings, for: purpose, at: now)
        }
    }

    mutating func requestSecurity(
        on handle: UInt16, _ settings: PairingSettings, for purpose: LinkPairing.Request.Purpose, at now: MonotonicTime
    ) {
        links[handle]?.pairing.await(
            .init(settings: settings, purpose: purpose, deadline: now + PairingMachine.timeout))
        send([Code.securityRequest, settings.authenticationRequirements], on: .securityManager, to: handle)
    }

    /// `once`: the part of the settings for a single pairing. `request`: the peer's first PDU, if the peer has begun.
    private mutating func beginPairing(
        on handle: UInt16, _ settings: PairingSettings, isOurs: Bool, once: SecurityPolicy.Once? = nil,
        by request: ArraySlice<UInt8>? = nil, at now: MonotonicTime
    ) {
        guard let link = links[handle] else { return }
        counters.pairingsStarted += 1
        events.append(.pairing(link.id, link.peer, link.role, .began(isOurs: isOurs)), for: .all)
        guard let secrets = pairing.takeSecrets() else {
            if request != nil { refusePairing(.busy, on: handle) }
            reportPairingFailed(.refused(.busy), on: handle, at: now)
            return
        }
        let (ours, theirs) = (link.addresses.local, link.addresses.peer)
        let isCentral = link.role == .central
        let machine = PairingMachine(
            role: link.role, initiator: isCentral ? ours : theirs, responder: isCentral ? theirs : ours,
            settings: settings, secrets: secrets)
        links[handle]?.pairing.begin(
            machine, isOurs: isOurs, hasKnownPasskey: settings.passkey != nil, once: once?.number)
        let effects = links[handle]?.pairing.tell { machine in
            request.map { machine.received($0, at: now) } ?? machine.begin(at: now)
        }
        perform(effects ?? [], on: handle, at: now)
    }

    // MARK: By the peer

    /// Takes one PDU of the Security Manager's channel.
    mutating func receivedPairing(_ payload: RawSpan, on handle: UInt16, at now: MonotonicTime) {
        guard let link = links[handle], !link.isEnding, !link.pairing.isOver, payload.byteCount > 0 else {
            counters.pairingPDUsIgnored += 1
            return
        }
        // One octet more than the longest valid PDU is enough to see that a PDU is too long.
        let pdu = payload.array(0..<min(payload.byteCount, Self.longestPairingPDU + 1))[...]
        if link.pairing.run != nil {
            receivedWhilePairing(pdu, on: handle, at: now)
        } else {
            switch pdu.first {
            case Code.pairingRequest: pairingRequested(pdu, on: handle, at: now)
            case Code.securityRequest: securityRequested(pdu, on: handle, at: now)
            case Code.pairingFailed where link.pairing.request != nil: securityDenied(pdu, on: handle, at: now)
            default:
                // The rest of an ended pairing, or of no pairing: an answer is pointless.
                counters.pairingPDUsIgnored += 1
            }
        }
        pump(at: now)
    }

    private mutating func receivedWhilePairing(_ pdu: ArraySlice<UInt8>, on handle: UInt16, at now: MonotonicTime) {
        if pdu.first == Code.securityRequest, links[handle]?.role == .central {
            // The requested security is under way. Core 5.4, Vol 3, Part H, 2.4.6.
            counters.pairingPDUsIgnored += 1
            return
        }
        let effects = links[handle]?.pairing.tell { $0.received(pdu, at: now) } ?? []
        perform(effects, on: handle, at: now)
    }

    private mutating func pairingRequested(_ pdu: ArraySlice<UInt8>, on handle: UInt16, at now: MonotonicTime) {
        guard let link = links[handle] else { return }
        guard link.role == .peripheral else { return refusePairing(.commandNotSupported, on: handle) }
        let policy = pairing.policy(for: link.role)
        guard pdu.count == 7 else { return refusePairing(.invalidParameters, on: handle) }
        let request = links[handle]?.pairing.takeRequest()
        if let refusal = refusal(ofPairing: link, after: request, at: now) {
            refusePairing(refusal, on: handle)
            if let request { requestEnded(request, on: handle, .refused(refusal.reason), at: now) }
            return
        }
        var settings = request?.settings ?? pairingSettings(for: link)
        if let bond = bond(of: link) { settings.requireAtLeast(bond) }
        guard isWanted(request) || pairing.mayRisk(settings, with: link.bondAddress) else {
            return refusePairing(.passkeyAtRisk, on: handle)
        }
        var once: SecurityPolicy.Once?
        if !isWanted(request), let given = policy.once {
            if isUnused(given) {
                once = given
                settings.shownPasskey = given.passkey
                settings.localOutOfBand = given.outOfBand
            } else if given.passkey != nil {
                return refusePairing(.usedUp, on: handle)
            }
        }
        beginPairing(on: handle, settings, isOurs: isWanted(request), once: once, by: pdu, at: now)
    }

    /// No pairing uses the values now, and no pairing has used them up.
    private func isUnused(_ once: SecurityPolicy.Once) -> Bool {
        pairing.isUnused(once) && !links.values.contains { $0.pairing.run?.once == once.number }
    }

    /// Why the Central may not pair with us now; nil: pairing is allowed.
    private func refusal(
        ofPairing link: Link, after request: LinkPairing.Request?, at now: MonotonicTime
    ) -> PairingRefusal? {
        let (isWanted, policy) = (self.isWanted(request), pairing.policy(for: link.role))
        let isOnDemand = !isWanted && policy.acceptsPairing == .onDemand
        if !isWanted {
            guard policy.acceptsPairing(at: now) else { return .closed }
            guard policy.admitsCentrals else { return .centralsNotAdmitted }
            guard !isOnDemand || demandsPairing else { return .nothingProtected }
        }
        if bond(of: link) != nil {
            guard policy.replacement == .unlessWeaker else { return .bonded }
        } else if bonds.count >= BondTable.capacity || (isOnDemand && !bonds.hasRoomForStrangers) {
            return .noRoom
        }
        return pairing.wait(for: link.bondAddress, isOurs: isWanted, at: now) == nil ? nil : .tooSoon
    }

    /// A published service or channel of our clients asks for encryption.
    private var demandsPairing: Bool {
        server.database.asksForEncryption
            || channels.requirements.values.contains { $0.encryption || $0.authentication }
    }

    /// True if the Central pairs at our request. After a request to prove its bond, a Central that pairs has lost the
    /// bond. The window and the agent then decide about a new bond, not the host.
    private func isWanted(_ request: LinkPairing.Request?) -> Bool { request.map { $0.purpose != .proveBond } ?? false }

    /// A Security Request: the Peripheral wants the link encrypted, with the key of a bond or of a new pairing.
    private mutating func securityRequested(_ pdu: ArraySlice<UInt8>, on handle: UInt16, at now: MonotonicTime) {
        guard let link = links[handle] else { return }
        guard link.role == .central else { return refusePairing(.commandNotSupported, on: handle) }
        guard pdu.count == 2, let requirements = pdu.last else {
            return refusePairing(.invalidParameters, on: handle)
        }
        guard !link.encryption.isChanging else { return }
        if let security = link.encryption.security, security.meets(requirements) { return }
        let bond = bond(of: link)
        // Any device can send this PDU. A peer without the key fails to encrypt, and the bond stays unchanged.
        if let bond, bond.security.meets(requirements), startEncryption(on: handle, at: now) == .started { return }
        let isOpen = policy.acceptsPairing(at: now)
        guard isOpen, bond == nil || policy.replacement == .unlessWeaker else {
            if startEncryption(on: handle, at: now) != .started {
                refusePairing(isOpen ? .bonded : .closed, on: handle)
            }
            return
        }
        guard pairing.wait(for: link.bondAddress, isOurs: false, at: now) == nil else {
            return refusePairing(.tooSoon, on: handle)
        }
        guard bond != nil || bonds.count < BondTable.capacity else { return refusePairing(.noRoom, on: handle) }
        var settings = pairingSettings(for: link)
        if let bond { settings.requireAtLeast(bond) }
        guard pairing.mayRisk(settings, with: link.bondAddress) else {
            return refusePairing(.passkeyAtRisk, on: handle)
        }
        // GAP/SEC/AUT/BV-13-C. If authentication is impossible, the peer gets the best possible protection, and may
        // refuse it.
        if requirements & 0x04 != 0 { settings.asksForAuthentication = true }
        settings.asksConsent = true
        beginPairing(on: handle, settings, isOurs: false, at: now)
    }

    /// The Central refuses the requested security.
    private mutating func securityDenied(_ pdu: ArraySlice<UInt8>, on handle: UInt16, at now: MonotonicTime) {
        guard let request = links[handle]?.pairing.takeRequest() else { return }
        let reason = PairingFailedReason(
            rawValue: pdu.count == 2 ? pdu.last ?? 0 : PairingFailedReason.unspecifiedReason.rawValue)
        requestEnded(request, on: handle, .refusedByPeer(reason), at: now)
    }

    /// Refuses a pairing by our policy. Clients are told, because they may change the policy.
    private mutating func refusePairing(_ refusal: PairingRefusal, on handle: UInt16) {
        if let link = links[handle], links[handle]?.pairing.isNews(refusal) == true {
            events.append(.pairing(link.id, link.peer, link.role, .refused(refusal)), for: .all)
        }
        refusePairing(refusal.reason, on: handle)
    }

    mutating func refusePairing(_ reason: PairingFailedReason, on handle: UInt16) {
        send([Code.pairingFailed, reason.rawValue], on: .securityManager, to: handle)
    }
}

extension LinkSecurity {
    /// True if the link reaches the level of a Security Request's AuthReq. Core 5.4, Vol 3, Part H, 3.5.1.
    fileprivate func meets(_ requirements: UInt8) -> Bool {
        let needsAuthentication = requirements & 0x04 != 0
        let needsSecureConnections = requirements & 0x08 != 0
        return (!needsAuthentication || isAuthenticated) && (!needsSecureConnections || isSecureConnections)
    }
}
