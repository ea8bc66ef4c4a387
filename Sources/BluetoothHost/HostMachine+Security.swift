// SPDX-License-Identifier: Apache-2.0

import ATT
import BluetoothCore
import GATT
import HCI
import L2CAP
import SMP

/// Bonds, and links that are encrypted with their keys.
extension HostMachine {
    /// Why encryption is under way, or why not.
    package enum EncryptionStart: Equatable, Sendable {
        case started
        case isEncrypted
        /// Encryption is under way already.
        case isStarting
        case noLink
        /// Only the Central of a link can start encryption.
        case notCentral
        case noKey
        /// The key has fewer octets than the policy asks for.
        case keyTooShort
    }

    // MARK: Bonds

    /// Takes the bonds that are on disk; false when there are more than are kept.
    @discardableResult
    package mutating func provide(bonds stored: [Bond]) -> Bool { bonds.provide(stored) }

    /// Takes the bonds of another controller in place of those that were used until now; false when there are more than
    /// are kept.
    package mutating func exchange(bonds stored: [Bond], at now: MonotonicTime) -> Bool {
        bonds = BondTable()
        defer { pump(at: now) }
        return provide(bonds: stored)
    }

    /// Adds or replaces a bond, to be written down; false when there is no room for another one.
    package mutating func store(_ bond: Bond) -> Bool { bonds.store(bond) }

    /// Forgets a peer, and what was found out about it under its key. A link to it stays as it is until it ends.
    package mutating func removeBond(with identity: DeviceAddress) {
        bonds.remove(identity)
        // Nobody has proven any more whose address that was.
        wishes.forgetNames(of: identity)
        peers.note(.forget, of: identity)
    }

    /// The links to a peer, by its identity or by the address that they were made with.
    package func links(to peer: DeviceAddress) -> [LinkID] {
        links.values.filter { $0.identity == peer || $0.peer == peer }.map(\.id)
    }

    /// What has to be written down since the last call.
    package mutating func takeBondChanges() -> [BondChange] { bonds.takeChanges() }

    package func bond(for identity: DeviceAddress) -> Bond? { bonds.bond(for: identity) }

    // MARK: Links

    /// What protects a link now; nil when there is no such link.
    package func security(of link: LinkID) -> LinkSecurity? { links.handle(of: link).flatMap { security(on: $0) } }

    func security(on handle: UInt16) -> LinkSecurity? {
        guard let link = links[handle] else { return nil }
        var security = link.encryption.security ?? LinkSecurity()
        if let bond = bond(of: link) {
            security.hasBond = pairing.policy(for: link.role).allows(bond)
            // Without the bond's key nobody knows who is at the other end.
            security.isAuthorized = bond.isAuthorized && link.encryption.usesBond
        }
        return security
    }

    /// What our services may count on. Where there is a bond, a link that is encrypted with any other key is not that of the
    /// bonded peer, as while somebody with its address pairs anew: it gets no more than a plain one.
    func provenSecurity(on handle: UInt16) -> LinkSecurity {
        guard let link = links[handle], var security = security(on: handle) else { return .none }
        guard let bond = bond(of: link) else { return security }
        let isAuthenticated = bond.isAuthenticated && mayAuthenticate(bond, on: link)
        if link.encryption.usesBond {
            security.isAuthenticated = security.isAuthenticated && isAuthenticated
            return security
        }
        // To encrypt is not what this peer has to do: it uses another key, or was told to and has not. Phones that have lost
        // their key pair on the other error, each of them.
        let isDeaf = hasDoorForCentrals && link.served.wasToldToEncrypt && !link.encryption.isChanging
        let lacksKey = link.encryption.isEncrypted || isDeaf
        guard security.hasBond, !lacksKey else { return .none }
        return LinkSecurity(
            hasBond: true, bondIsAuthenticated: isAuthenticated, bondIsSecureConnections: bond.isSecureConnections)
    }

    /// Where those who connect to us have a door of their own, a key that was made with a sensor does not open it: its
    /// passkey made sure that this is the sensor, and nobody meant the sensor to have what is for people's phones.
    private func mayAuthenticate(_ bond: Bond, on link: Link) -> Bool {
        link.role == .central || !hasDoorForCentrals || bond.isOfCentral
    }

    private var hasDoorForCentrals: Bool { pairing.hasDoorForCentrals }

    /// Encrypts a link with the key of its bond; `refreshing` also one that is encrypted, with the key that is known
    /// now.
    package mutating func encrypt(_ link: LinkID, refreshing: Bool = false, at now: MonotonicTime) -> EncryptionStart {
        guard let handle = links.handle(of: link) else { return .noLink }
        let start = startEncryption(on: handle, refreshing: refreshing, at: now)
        pump(at: now)
        return start
    }

    mutating func startEncryption(
        on handle: UInt16, refreshing: Bool = false, at now: MonotonicTime
    ) -> EncryptionStart {
        guard let link = links[handle], !link.isEnding else { return .noLink }
        guard link.encryption.isCentral else { return .notCentral }
        guard !link.encryption.isChanging else { return .isStarting }
        guard refreshing || !link.encryption.isEncrypted else { return .isEncrypted }
        guard let bond = bond(of: link), let key = bond.centralKey else { return .noKey }
        guard policy.allows(bond) else { return .keyTooShort }
        guard links[handle]?.encryption.start(with: bond, at: now) == true else { return .isStarting }
        submit(
            LEEnableEncryption(handle: handle, rand: key.rand, ediv: key.ediv, key: key.key.littleEndian),
            for: .encryption(link.id))
        return .started
    }

    /// A link came up: a peer that has a bond is spoken to under its key, and not at all where that cannot be used. In the
    /// plain, anybody could answer in its place.
    mutating func encryptNewLink(_ handle: UInt16, at now: MonotonicTime) {
        guard policy.encryptsAtConnection else { return }
        switch startEncryption(on: handle, at: now) {
        case .keyTooShort: encryptionFailed(.insufficientSecurity, on: handle, at: now)
        // A legacy bond may have a key for the other role alone. Without a bond the link stays plain.
        case .noKey where isBonded(handle): encryptionFailed(.insufficientSecurity, on: handle, at: now)
        default: break
        }
    }

    private func isBonded(_ handle: UInt16) -> Bool { links[handle].flatMap { bond(of: $0) } != nil }

    /// LE Enable Encryption was answered with Command Status.
    mutating func encryptionAnswered(_ link: LinkID, _ status: HCIStatus, at now: MonotonicTime) {
        // Without a link, its Disconnection Complete tells all there is to tell.
        guard let handle = links.handle(of: link), status != .success, status != .unknownConnectionIdentifier else {
            return
        }
        if let status = links[handle]?.encryption.refused(status) { encryptionFailed(status, on: handle, at: now) }
    }

    /// The peer, as the Central, wants encryption with the key that these numbers name.
    mutating func keyRequested(_ handle: UInt16, rand: UInt64, ediv: UInt16, at now: MonotonicTime) {
        // Only a controller that is not in its senses asks again meanwhile; it must not fill the queue.
        guard !keyAnswerWaits(for: handle) else { return }
        guard let link = links[handle], !link.encryption.isCentral,
            let key = startedKey(rand: rand, ediv: ediv, on: handle, of: link, at: now)
        else {
            submit(LELongTermKeyRequestNegativeReply(handle: handle))
            // A Central that encrypts in the middle of a pairing wants to get by without the rest of it.
            let effects = links[handle]?.pairing.tell { $0.cancel(.unspecifiedReason, at: now) } ?? []
            perform(effects, on: handle, at: now)
            return
        }
        submit(LELongTermKeyRequestReply(handle: handle, key: key.littleEndian))
    }

    /// One answer a link, and one for all that are none.
    private func keyAnswerWaits(for handle: UInt16) -> Bool {
        let waiting = outbound.keyAnswers
        return links[handle] == nil ? waiting.contains { links[$0] == nil } : waiting.contains(handle)
    }

    /// While a pairing runs, its key alone, and at the right moment; else that of the bond, or what the link has.
    private mutating func startedKey(
        rand: UInt64, ediv: UInt16, on handle: UInt16, of link: Link, at now: MonotonicTime
    ) -> SecretKey? {
        if let machine = link.pairing.run?.machine {
            guard let key = machine.key(ediv: ediv, rand: rand), let security = machine.security,
                links[handle]?.encryption.start(with: security, at: now) == true
            else { return nil }
            links[handle]?.pairing.setKeyUse(.starting)
            return key
        }
        if let bond = bond(of: link), pairing.policy(for: link.role).allows(bond),
            let key = bond.peripheralKey(ediv: ediv, rand: rand)
        {
            return links[handle]?.encryption.start(with: bond, at: now) == true ? key : nil
        }
        guard let own = link.pairing.linkKeys, let security = link.encryption.security,
            let key = own.keys.peripheralKey(ediv: ediv, rand: rand)
        else { return nil }
        return links[handle]?.encryption.start(with: security, at: now) == true ? key : nil
    }

    /// Encryption Change or Encryption Key Refresh Complete.
    mutating func encryptionChanged(
        _ status: HCIStatus, on handle: UInt16, isEnabled: Bool, keySize: UInt8?, at now: MonotonicTime
    ) {
        guard let role = links[handle]?.role else { return }
        let minimumKeySize = pairing.policy(for: role).minimumKeySize
        let outcome = links[handle]?.encryption.changed(
            status, isEnabled: isEnabled, keySize: keySize, minimumKeySize: minimumKeySize)
        switch outcome {
        case nil, .ignored: break
        case .failed(let status): encryptionFailed(status, on: handle, at: now)
        case .encrypted: encrypted(handle, at: now)
        }
    }

    private mutating func encrypted(_ handle: UInt16, at now: MonotonicTime) {
        guard let link = links[handle], let security = security(on: handle) else { return }
        let isPairing = link.pairing.keyUse == .starting
        if isPairing { links[handle]?.pairing.setKeyUse(.inUse) }
        // The Central has a key: what it was asked for is done, unless that was a new one.
        if link.pairing.request?.purpose != .pairing { _ = links[handle]?.pairing.takeRequest() }
        events.append(.encryptionChanged(link.id, security), for: link.audience)
        restoreServerState(on: handle, at: now)
        shareLink(handle, at: now)
        for pdu in links[handle]?.hold.takePDUs() ?? [] {
            send(pdu.payload, on: pdu.channel, to: handle, as: pdu.kind)
        }
        if isPairing {
            let effects = links[handle]?.pairing.tell { $0.encrypted(at: now) } ?? []
            perform(effects, on: handle, at: now)
        } else if links[handle]?.pairing.run == nil {
            repeatHeld(on: handle, at: now)
        }
    }

    /// The bond is kept and the link is ended: nothing is said in the plain instead, and whether to pair anew is not
    /// for us to decide. Core 5.4, Vol 3, Part C, 10.3.2. The failure of a key that is being made is the pairing's.
    mutating func encryptionFailed(_ status: HCIStatus, on handle: UInt16, at now: MonotonicTime) {
        if links[handle]?.pairing.keyUse == .starting {
            let effects = links[handle]?.pairing.tell { $0.encryptionFailed(at: now) } ?? []
            perform(effects, on: handle, at: now)
            return
        }
        guard var link = links[handle] else { return }
        tellOfFailure(status, on: &link)
        link.ending.note(status)
        links[handle] = link
        end(handle, reason: .authenticationFailure)
    }

    /// Tells everybody who waits for encryption that it does not come.
    mutating func tellOfFailure(_ status: HCIStatus, on link: inout Link) {
        counters.encryptionFailures += 1
        events.append(.encryptionFailed(link.id, status), for: link.audience)
        _ = link.hold.takePDUs()
        for repetition in link.hold.takeRepetitions() { refuse(repetition) }
    }

    /// The link is gone. True reasons are told even where we were the ones to end it.
    mutating func encryptionEnded(on link: inout Link, _ reason: HCIStatus) -> HCIStatus {
        guard reason != .localHostTerminated else { return link.ending.reason ?? reason }
        if let status = link.encryption.refused(reason) { tellOfFailure(status, on: &link) }
        return reason
    }
}

extension ATTOpcode {
    /// A peer with a bond is believed in these only under its key: somebody else may use its address.
    /// GAP/SEC/SEM/BV-56-C and those after it. The rest is answers to what we asked, and requests, for which the server
    /// has rules of its own.
    var carriesValues: Bool {
        switch self {
        case .notification, .indication, .multipleHandleValueNotification: true
        default: false
        }
    }
}

extension Link {
    /// Nobody can have answered what was not sent: a request that waits for encryption, or that encryption has failed for.
    /// An impostor in the place of a bonded peer might try, also while its link is being ended.
    var believesAnswers: Bool { !encryption.hasFailed && ending.reason == nil && !hold.holdsRequest }

    /// Whom the link's security concerns: where we are the Peripheral, every server of the process.
    fileprivate var audience: ClientSet { encryption.isCentral ? clients : .all }
}
