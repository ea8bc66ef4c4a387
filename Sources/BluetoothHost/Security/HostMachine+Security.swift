// SPDX-License-Identifier: Apache-2.0

import ATT
import BluetoothCore
import GATT
import HCI
import L2CAP
import SMP

/// Bonds, and links encrypted with their keys.
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

    /// Takes the bonds from the disk; false if there are more than the table keeps.
    @discardableResult
    package mutating func provide(bonds stored: [Bond]) -> Bool { bonds.provide(stored) }

    /// Replaces all bonds by the bonds of another controller; false if there are more than the table keeps.
    package mutating func exchange(bonds stored: [Bond], at now: MonotonicTime) -> Bool {
        bonds = BondTable()
        defer { pump(at: now) }
        return provide(bonds: stored)
    }

    /// Adds or replaces a bond, which has to be written to disk; false if there is no room for another bond.
    package mutating func store(_ bond: Bond) -> Bool { bonds.store(bond) }

    /// Forgets a peer, and all facts learned about the peer under its key. A link to the peer stays unchanged until its
    /// end.
    package mutating func removeBond(with identity: DeviceAddress) {
        bonds.remove(identity)
        // The proof that the former addresses were the peer's is gone.
        wishes.forgetNames(of: identity)
        peers.record(.forget, of: identity)
    }

    /// The links to a peer, by its identity or by the address used for the connection.
    package func links(to peer: DeviceAddress) -> [LinkID] {
        links.values.filter { $0.identity == peer || $0.peer == peer }.map(\.id)
    }

    /// Changes to write to disk since the last call.
    package mutating func takeBondChanges() -> [BondChange] { bonds.takeChanges() }

    package func bond(for identity: DeviceAddress) -> Bond? { bonds.bond(for: identity) }

    // MARK: Links

    /// The present protection of a link; nil for an unknown link.
    package func security(of link: LinkID) -> LinkSecurity? { links.handle(of: link).flatMap { security(on: $0) } }

    func security(on handle: UInt16) -> LinkSecurity? {
        guard let link = links[handle] else { return nil }
        var security = link.encryption.security ?? LinkSecurity()
        if let bond = bond(of: link) {
            security.hasBond = pairing.policy(for: link.role).allows(bond)
            // Without the bond's key, the device at the other end is unknown.
            security.isAuthorized = bond.isAuthorized && link.encryption.usesBond
        }
        return security
    }

    /// The security that our services may count on. If a peer has a bond, only a link encrypted with the bond's key is
    /// the bonded peer's. A link with any other key gets no more than a plain link: another device may use the peer's
    /// address and pair anew.
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

    /// If Centrals have a policy of their own, a key made with a sensor does not count as authenticated for them. The
    /// sensor's passkey proved only that the device was this sensor. The data for people's phones is not meant for the
    /// sensor.
    private func mayAuthenticate(_ bond: Bond, on link: Link) -> Bool {
        link.role == .central || !hasDoorForCentrals || bond.isOfCentral
    }

    private var hasDoorForCentrals: Bool { pairing.hasDoorForCentrals }

    /// Encrypts a link with the key of its bond. `refreshing`: also an encrypted link, with the key known now.
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

    /// A link came up. With a bonded peer, the host talks only under the bond's key, and not at all if this key cannot
    /// be used. Without encryption, any device could answer in the peer's place.
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
        // Without a link, Disconnection Complete has told everything.
        guard let handle = links.handle(of: link), status != .success, status != .unknownConnectionIdentifier else {
            return
        }
        if let status = links[handle]?.encryption.refused(status) { encryptionFailed(status, on: handle, at: now) }
    }

    /// The peer, as the Central, wants encryption with the key named by these numbers.
    mutating func keyRequested(_ handle: UInt16, rand: UInt64, ediv: UInt16, at now: MonotonicTime) {
        // Only a faulty controller asks again meanwhile. The repetition must not fill the queue.
        guard !keyAnswerWaits(for: handle) else { return }
        guard let link = links[handle], !link.encryption.isCentral,
            let key = startedKey(rand: rand, ediv: ediv, on: handle, of: link, at: now)
        else {
            submit(LELongTermKeyRequestNegativeReply(handle: handle))
            // A Central that encrypts in the middle of a pairing tries to skip the rest of the pairing.
            let effects = links[handle]?.pairing.tell { $0.cancel(.unspecifiedReason, at: now) } ?? []
            perform(effects, on: handle, at: now)
            return
        }
        submit(LELongTermKeyRequestReply(handle: handle, key: key.littleEndian))
    }

    /// One answer waits for each link, and one for all unknown handles together.
    private func keyAnswerWaits(for handle: UInt16) -> Bool {
        let waiting = outbound.keyAnswers
        return links[handle] == nil ? waiting.contains { links[$0] == nil } : waiting.contains(handle)
    }

    /// During a pairing: the pairing's key alone, at the right moment. Otherwise the key of the bond, or the link's own
    /// key.
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
        // The Central has a key. The request is fulfilled, unless the request was for a new key.
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

    /// Keeps the bond and ends the link. The host does not go on without encryption, and does not decide about a new
    /// pairing. Core 5.4, Vol 3, Part C, 10.3.2. If a pairing makes the key, the failure is the pairing's.
    mutating func encryptionFailed(_ status: HCIStatus, on handle: UInt16, at now: MonotonicTime) {
        if links[handle]?.pairing.keyUse == .starting {
            let effects = links[handle]?.pairing.tell { $0.encryptionFailed(at: now) } ?? []
            perform(effects, on: handle, at: now)
            return
        }
        guard var link = links[handle] else { return }
        reportFailure(status, on: &link)
        link.ending.record(status)
        links[handle] = link
        end(handle, reason: .authenticationFailure)
    }

    /// Tells all waiting clients that encryption has failed.
    mutating func reportFailure(_ status: HCIStatus, on link: inout Link) {
        counters.encryptionFailures += 1
        events.append(.encryptionFailed(link.id, status), for: link.audience)
        _ = link.hold.takePDUs()
        for repetition in link.hold.takeRepetitions() { refuse(repetition) }
    }

    /// The link is gone. The true reason is told even if the host has ended the link.
    mutating func encryptionEnded(on link: inout Link, _ reason: HCIStatus) -> HCIStatus {
        guard reason != .localHostTerminated else { return link.ending.reason ?? reason }
        if let status = link.encryption.refused(reason) { reportFailure(status, on: &link) }
        return reason
    }
}

extension ATTOpcode {
    /// With a bonded peer, values count only under the bond's key, because another device may use the peer's address.
    /// GAP/SEC/SEM/BV-56-C and the tests after it. The other opcodes are answers to our requests, and requests, for
    /// which the server has rules of its own.
    var carriesValues: Bool {
        switch self {
        case .notification, .indication, .multipleHandleValueNotification: true
        default: false
        }
    }
}

extension Link {
    /// No peer can have answered an unsent request: a request that waits for encryption, or after failed encryption.
    /// An impostor in the place of a bonded peer might try, also while its link is being ended.
    var believesAnswers: Bool { !encryption.hasFailed && ending.reason == nil && !hold.holdsRequest }

    /// The clients that the link's security concerns. If we are the Peripheral, every server of the process is
    /// concerned.
    fileprivate var audience: ClientSet { encryption.isCentral ? clients : .all }
}
