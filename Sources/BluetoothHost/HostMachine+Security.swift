// SPDX-License-Identifier: Apache-2.0

import SMP
import ATT
import BluetoothCore
import GATT
import HCI
import L2CAP

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

    /// Adds or replaces a bond, to be written down; false when there is no room for another one.
    package mutating func store(_ bond: Bond) -> Bool { bonds.store(bond) }

    /// Forgets a peer. A link to it stays as it is until it ends.
    package mutating func removeBond(with identity: DeviceAddress) { bonds.remove(identity) }

    /// What has to be written down since the last call.
    package mutating func takeBondChanges() -> [BondChange] { bonds.takeChanges() }

    package func bond(for identity: DeviceAddress) -> Bond? { bonds.bond(for: identity) }

    // MARK: Links

    /// What protects a link now; nil when there is no such link.
    package func security(of link: LinkID) -> LinkSecurity? { handles[link].flatMap { security(on: $0) } }

    func security(on handle: UInt16) -> LinkSecurity? {
        guard let link = links[handle] else { return nil }
        var security = link.encryption.security ?? LinkSecurity()
        if let bond = bonds.bond(for: link.peer) {
            security.hasBond = policy.allows(bond)
            // Of a plain link nobody knows who is at its other end.
            security.isAuthorized = bond.isAuthorized && security.isEncrypted
        }
        return security
    }

    /// Encrypts a link with the key of its bond; `refreshing` also one that is encrypted, with the key that is known
    /// now.
    package mutating func encrypt(_ link: LinkID, refreshing: Bool = false, at now: MonotonicTime) -> EncryptionStart {
        guard let handle = handles[link] else { return .noLink }
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
        guard let bond = bonds.bond(for: link.peer), let key = bond.centralKey else { return .noKey }
        guard policy.allows(bond) else { return .keyTooShort }
        guard links[handle]?.encryption.start(with: bond, at: now) == true else { return .isStarting }
        encryptionsAsked.append(link.id)
        submit(LEEnableEncryption(handle: handle, rand: key.rand, ediv: key.ediv, key: key.key.littleEndian))
        return .started
    }

    /// A link came up: a peer that has a key of ours is spoken to under it, and not before.
    mutating func encryptNewLink(_ handle: UInt16, at now: MonotonicTime) {
        guard policy.encryptsAtConnection else { return }
        // Without a bond, or with a key that is too short, the link stays plain, and its values are blocked.
        _ = startEncryption(on: handle, at: now)
    }

    /// LE Enable Encryption was answered with Command Status, which names no link: answers come in order.
    mutating func encryptionAnswered(_ status: HCIStatus, at now: MonotonicTime) {
        guard !encryptionsAsked.isEmpty else { return }
        let link = encryptionsAsked.removeFirst()
        // Without a link, its Disconnection Complete tells all there is to tell.
        guard let handle = handles[link], status != .success, status != .unknownConnectionIdentifier else { return }
        if let status = links[handle]?.encryption.refused(status) { encryptionFailed(status, on: handle, at: now) }
    }

    /// The peer, as the Central, wants encryption with the key that these numbers name.
    mutating func keyRequested(_ handle: UInt16, rand: UInt64, ediv: UInt16, at now: MonotonicTime) {
        guard let link = links[handle], !link.encryption.isCentral, let bond = bonds.bond(for: link.peer),
            policy.allows(bond), let key = bond.peripheralKey(ediv: ediv, rand: rand),
            links[handle]?.encryption.start(with: bond, at: now) == true
        else {
            submit(LELongTermKeyRequestNegativeReply(handle: handle))
            return
        }
        submit(LELongTermKeyRequestReply(handle: handle, key: key.littleEndian))
    }

    /// Encryption Change or Encryption Key Refresh Complete.
    mutating func encryptionChanged(
        _ status: HCIStatus, on handle: UInt16, isEnabled: Bool, keySize: UInt8?, at now: MonotonicTime
    ) {
        let outcome = links[handle]?.encryption.changed(
            status, isEnabled: isEnabled, keySize: keySize, minimumKeySize: policy.minimumKeySize)
        switch outcome {
        case nil, .ignored: break
        case .failed(let status): encryptionFailed(status, on: handle, at: now)
        case .encrypted:
            guard let link = links[handle], let security = security(on: handle) else { return }
            events.append(.encryptionChanged(link.id, security), for: link.audience)
            restoreServerState(on: handle, at: now)
            shareLink(handle, at: now)
            for pdu in links[handle]?.hold.takePDUs() ?? [] {
                send(pdu.payload, on: pdu.channel, to: handle, as: pdu.kind)
            }
            for repetition in links[handle]?.hold.takeRepetitions() ?? [] {
                let effects = links[handle]?.gatt.request(repetition.request, id: repetition.id, at: now) ?? []
                perform(effects, on: handle, at: now)
            }
        }
    }

    /// The bond is kept and the link is ended: nothing is said in the plain instead, and whether to pair anew is not
    /// for us to decide. Core 5.4, Vol 3, Part C, 10.3.2.
    mutating func encryptionFailed(_ status: HCIStatus, on handle: UInt16, at now: MonotonicTime) {
        guard var link = links[handle] else { return }
        tellOfFailure(status, on: &link)
        link.endReason = status
        links[handle] = link
        end(handle, reason: .authenticationFailure)
    }

    /// Tells everybody who waits for encryption that it does not come.
    mutating func tellOfFailure(_ status: HCIStatus, on link: inout Link) {
        counters.encryptionFailures += 1
        events.append(.encryptionFailed(link.id, status), for: link.audience)
        _ = link.hold.takePDUs()
        for repetition in link.hold.takeRepetitions() { complete(repetition.id, .failure(repetition.refusal)) }
    }

    /// The link is gone. True reasons are told even where we were the ones to end it.
    mutating func encryptionEnded(on link: inout Link, _ reason: HCIStatus) -> HCIStatus {
        guard reason != .localHostTerminated else { return link.endReason ?? reason }
        if let status = link.encryption.refused(reason) { tellOfFailure(status, on: &link) }
        return reason
    }

    // MARK: Data

    /// Notes a request that may have to be repeated once the link is encrypted.
    mutating func noteRequest(_ request: GATTRequest, id: GATTRequestID, on handle: UInt16) {
        guard let link = links[handle], !link.encryption.isEncrypted, bonds.bond(for: link.peer) != nil else { return }
        links[handle]?.hold.note(request, id: id)
    }

    /// True when the server wants encryption and gets it: the request is repeated, once, when the link is encrypted.
    mutating func repeats(
        _ id: GATTRequestID, _ result: Result<GATTResponse, GATTError>, on handle: UInt16, at now: MonotonicTime
    ) -> Bool {
        guard let request = links[handle]?.hold.answered(id), case .failure(let refusal) = result,
            refusal == .refused(.insufficientAuthentication) || refusal == .refused(.insufficientEncryption)
        else { return false }
        switch startEncryption(on: handle, at: now) {
        case .started, .isStarting:
            links[handle]?.hold.append(LinkHold.Repetition(id: id, request: request, refusal: refusal))
            return true
        case .isEncrypted, .noLink, .notCentral, .noKey, .keyTooShort:
            return false
        }
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
    /// Whom the link's security concerns: where we are the Peripheral, every server of the process.
    fileprivate var audience: ClientSet { encryption.isCentral ? clients : .all }
}
