// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import GATT
import HCI
import L2CAP
import SMP

/// Effects of pairings on the host, and the results of pairings.
extension HostMachine {
    mutating func perform(_ effects: [PairingMachine.Effect], on handle: UInt16, at now: MonotonicTime) {
        // An effect may bring further effects, which queue up behind the present effects.
        var queue = effects[...]
        while let effect = queue.popFirst() {
            switch effect {
            case .send(let pdu): send(pdu, on: .securityManager, to: handle)
            case .ask(let question): queue += ask(question, on: handle, at: now)
            case .encrypt(let key): queue += encrypt(with: key, on: handle, at: now)
            case .finished(let result): pairingFinished(result, on: handle, at: now)
            case .failed(let failure): pairingFailed(failure, on: handle, at: now)
            }
        }
    }

    /// A client that began a pairing has agreed to it. A client that opened the window without an agent has agreed too.
    private mutating func ask(
        _ question: PairingQuestion, on handle: UInt16, at now: MonotonicTime
    ) -> [PairingMachine.Effect] {
        guard let link = links[handle], let run = link.pairing.run else { return [] }
        if question == .consent, run.isOurs || !pairing.policy(for: link.role).hasAgent {
            return links[handle]?.pairing.tell { $0.answer(.yes, at: now) } ?? []
        }
        let model = run.machine.model ?? .justWorks
        events.append(.pairing(link.id, link.peer, link.role, .asked(question, model)), for: .all)
        return []
    }

    private mutating func encrypt(
        with key: SecretKey, on handle: UInt16, at now: MonotonicTime
    ) -> [PairingMachine.Effect] {
        guard let link = links[handle], !link.isEnding, link.encryption.isCentral,
            let security = link.pairing.run?.machine.security,
            links[handle]?.encryption.start(with: security, at: now) == true
        else { return links[handle]?.pairing.tell { $0.encryptionFailed(at: now) } ?? [] }
        links[handle]?.pairing.setKeyUse(.starting)
        submit(
            LEEnableEncryption(handle: handle, rand: 0, ediv: 0, key: key.littleEndian), for: .encryption(link.id))
        return []
    }

    // MARK: Success

    private mutating func pairingFinished(_ result: PairingResult, on handle: UInt16, at now: MonotonicTime) {
        guard let link = links[handle], let run = links[handle]?.pairing.end() else { return }
        pairing.ended(run)
        switch makeBond(of: result, with: link) {
        case .failure(let refusal):
            refusePairing(refusal.reason, on: handle)
            endPairing(run, .refused(refusal.reason), on: handle, at: now)
            return
        case .success(nil):
            links[handle]?.pairing.linkKeys = result
            let security = security(on: handle) ?? .none
            events.append(.pairing(link.id, link.peer, link.role, .finishedUnbonded(security)), for: .all)
        case .success(let bond?):
            keep(bond, on: handle, at: now)
            let kept = bonds.bond(for: bond.identity) ?? bond
            events.append(.pairing(link.id, bond.identity, link.role, .finished(kept)), for: .all)
        }
        counters.pairingsSucceeded += 1
        pairing.succeeded(link.bondAddress)
        shareLink(handle, at: now)
        repeatHeld(on: handle, at: now)
    }

    /// Stores the bond, and makes the link a link of the bonded peer.
    private mutating func keep(_ bond: Bond, on handle: UInt16, at now: MonotonicTime) {
        guard let id = links[handle]?.id else { return }
        _ = store(bond)
        links[handle]?.encryption.keyIsBonds()
        learnedIdentity(bond.identity, on: id, at: now)
        // What it has written on this link is the beginning; what was kept for another bond is not its own.
        _ = links[handle]?.served.restore()
        let context = context(of: handle, at: now)
        guard let link = links[handle] else { return }
        keep(link.server.clientState(in: context), of: link)
    }

    private struct Refusal: Error {
        let reason: PairingFailedReason
    }

    /// Nil if the keys end with the link: one side does not bond, or the peer has no permanent address.
    private func makeBond(of result: PairingResult, with link: Link) -> Result<Bond?, Refusal> {
        let minimumKeySize = pairing.policy(for: link.role).minimumKeySize
        guard result.keySize >= minimumKeySize else { return .failure(Refusal(reason: .encryptionKeySize)) }
        if let identity = result.identity, !identity.isIdentity {
            return .failure(Refusal(reason: .invalidParameters))
        }
        guard result.isBonding, result.keys.isUsable, let identity = identity(of: result, on: link) else {
            return .success(nil)
        }
        if let claimed = result.identity, !mayBe(claimed, with: result.identityKey, link) {
            return .failure(Refusal(reason: .unspecifiedReason))
        }
        let bond = Bond(
            identity: identity, keys: result.keys, keySize: result.keySize,
            identityKey: keepableKey(result.identityKey, of: identity, link), isAuthenticated: result.isAuthenticated,
            isOfCentral: link.role == .peripheral)
        guard let bond, mayKeep(bond, from: link) else { return .failure(Refusal(reason: .unspecifiedReason)) }
        return .success(bond)
    }

    /// The identity of a peer with a permanent address is this address, whatever the peer says of itself. The peer is
    /// found again by this address.
    private func identity(of result: PairingResult, on link: Link) -> DeviceAddress? {
        link.identity ?? (link.addresses.peer.isIdentity ? link.addresses.peer : result.identity)
    }

    /// The host cannot check a peer's claimed identity. A peer behind a private address must have made the address with
    /// `key`. The claim is refused for a device that we know under another address, or that has a link of its own.
    private func mayBe(_ identity: DeviceAddress, with key: SecretKey?, _ link: Link) -> Bool {
        guard identity != link.bondAddress, identity != link.addresses.peer else { return true }
        if link.addresses.peer.isResolvablePrivate {
            guard let key, link.addresses.peer.isResolved(by: key) else { return false }
        }
        let isReserved = pairing.reserves(identity)
        return !isReserved && (link.identity == nil || !bonds.contains(identity))
            && !links.values.contains { $0.id != link.id && $0.peer == identity }
    }

    /// Some sensors all have the same Identity Resolving Key, a constant of their software (NimBLE as shipped). Only
    /// one bond can have the key, or the key would resolve to either bond. A peer with a permanent address on the air
    /// is found by this address, and its bond is kept without the key. The first bond keeps the key. Otherwise any peer
    /// could claim the key, and hide the first peer's private addresses from us.
    private func keepableKey(_ key: SecretKey?, of identity: DeviceAddress, _ link: Link) -> SecretKey? {
        guard let key, link.addresses.peer.isIdentity, hasOtherBond(than: identity, with: key) else { return key }
        return nil
    }

    private func hasOtherBond(than identity: DeviceAddress, with key: SecretKey) -> Bool {
        bonds.all.contains { $0.identityKey == key && $0.identity != identity }
    }

    /// A peer can claim any identity. The bond of another peer is never given away, nor is another peer's identity key.
    private func mayKeep(_ bond: Bond, from link: Link) -> Bool {
        if let old = bonds.bond(for: bond.identity) {
            guard pairing.policy(for: link.role).replacement == .unlessWeaker, !bond.isWeaker(than: old),
                link.bondAddress == bond.identity || bond.isAuthenticated
            else { return false }
        } else if bonds.count >= BondTable.capacity {
            return false
        }
        guard let key = bond.identityKey else { return true }
        return !hasOtherBond(than: bond.identity, with: key)
    }

    // MARK: Failure

    private mutating func pairingFailed(_ failure: PairingFailure, on handle: UInt16, at now: MonotonicTime) {
        guard let run = links[handle]?.pairing.end() else { return }
        pairing.ended(run)
        endPairing(run, failure, on: handle, at: now)
    }

    /// A previous bond stays unchanged. The link ends if its key comes, or may come, from the failed pairing.
    private mutating func endPairing(
        _ run: LinkPairing.Run, _ failure: PairingFailure, on handle: UInt16, at now: MonotonicTime
    ) {
        guard let link = links[handle] else { return }
        pairing.failed(run, with: link.bondAddress, at: now)
        if failure != .refused(.confirmValueFailed) { reportRevealed(by: run, on: link) }
        if failure == .timedOut { links[handle]?.pairing.timedOut() }
        reportPairingFailed(failure, on: handle, at: now)
        guard run.keyUse != .none else { return }
        _ = links[handle]?.hold.takePDUs()
        links[handle]?.ending.record(.authenticationFailure)
        end(handle, reason: .authenticationFailure)
    }

    mutating func reportPairingFailed(_ failure: PairingFailure, on handle: UInt16, at now: MonotonicTime) {
        guard let link = links[handle] else { return }
        counters.pairingsFailed += 1
        events.append(.pairing(link.id, link.peer, link.role, .failed(failure)), for: .all)
        refuseHeld(on: handle)
    }

    /// The Central has not done what we asked for.
    mutating func requestEnded(
        _ request: LinkPairing.Request, on handle: UInt16, _ failure: PairingFailure, at now: MonotonicTime
    ) {
        links[handle]?.pairing.leftRequestUnanswered()
        switch request.purpose {
        case .pairing: reportPairingFailed(failure, on: handle, at: now)
        case .demand: refuseHeld(on: handle)
        case .proveBond:
            // The Central wants to pair instead: it has no key. GAP/SEC/AUT/BV-22-C.
            if case .refused = failure { encryptionFailed(.pinOrKeyMissing, on: handle, at: now) }
            refuseHeld(on: handle)
        }
    }

    mutating func expirePairing(on handle: UInt16, at now: MonotonicTime) {
        if let request = links[handle]?.pairing.request, request.deadline <= now {
            _ = links[handle]?.pairing.takeRequest()
            requestEnded(request, on: handle, .timedOut, at: now)
        }
        guard let deadline = links[handle]?.pairing.run?.machine.deadline, deadline <= now else { return }
        let effects = links[handle]?.pairing.tell { $0.expire(at: now) } ?? []
        perform(effects, on: handle, at: now)
    }

    /// The link ends before its pairing. The attempt counts, because it may have revealed whether a guess was right.
    mutating func recordPairingLost(on handle: UInt16, at now: MonotonicTime) {
        guard let link = links[handle], let run = link.pairing.run else { return }
        pairing.failed(run, with: link.bondAddress, at: now)
    }

    /// The link is gone, and the pairing with it.
    mutating func pairingLost(on link: inout Link, _ reason: HCIStatus) {
        if let request = link.pairing.takeRequest(), request.purpose == .pairing {
            reportPairingLost(link, .disconnected)
        }
        guard let run = link.pairing.end() else { return }
        pairing.ended(run)
        reportRevealed(by: run, on: link)
        let wasStarting = run.keyUse == .starting && link.encryption.refused(reason) != nil
        // The link layer ends the link if the keys differ.
        reportPairingLost(link, wasStarting && reason == .micFailure ? .encryptionFailed : .disconnected)
    }

    private mutating func reportRevealed(by run: LinkPairing.Run, on link: Link) {
        guard run.machine.provedRounds > 0 else { return }
        events.append(.pairing(link.id, link.peer, link.role, .passkeyRevealed), for: .all)
    }

    private mutating func reportPairingLost(_ link: Link, _ failure: PairingFailure) {
        counters.pairingsFailed += 1
        events.append(.pairing(link.id, link.peer, link.role, .failed(failure)), for: .all)
    }
}

extension Bond {
    /// The bond protects less than `other`.
    fileprivate func isWeaker(than other: Bond) -> Bool {
        other.isAuthenticated && !isAuthenticated || other.isSecureConnections && !isSecureConnections
            || keySize < other.keySize
    }
}

extension LongTermKeys {
    /// A later link can be encrypted with these keys.
    fileprivate var isUsable: Bool {
        switch self {
        case .secureConnections: true
        case .legacy(let peerDistributed, let localDistributed): peerDistributed != nil || localDistributed != nil
        }
    }
}
