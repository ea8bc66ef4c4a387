// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// Phase 1: what each device can do. Core 5.4, Vol 3, Part H, 2.3.1 to 2.3.5.1 and 3.5.1 to 3.5.2.
extension PairingMachine {
    var initiatorFeatures: PairingFeatures {
        features(
            hasOutOfBandData: hasSecureData || (settings.allowsLegacy && hasTemporaryKey), gives: ownKeys,
            takes: peerKeys)
    }

    /// As the responder.
    mutating func requested(_ request: PairingFeatures, at now: MonotonicTime) -> [Effect] {
        deadline = now + Self.timeout
        let isSecure = settings.offersSecureConnections && request.requirements.contains(.secureConnections)
        var response = features(
            hasOutOfBandData: isSecure ? hasSecureData : settings.allowsLegacy && hasTemporaryKey,
            gives: ownKeys.intersection(request.responderKeys), takes: peerKeys.intersection(request.initiatorKeys))
        if !request.requirements.isBonding {
            response.initiatorKeys = []
            response.responderKeys = []
        }
        switch exchange(request: request, response: response) {
        case .failure(let refusal): return refuse(refusal.reason)
        case .success(let exchange):
            model = exchange.choice.model
            // Just Works needs consent: without a question, no person here would notice the pairing.
            guard exchange.choice.model == .justWorks else { return respond(exchange, at: now) }
            phase = .awaitingConsent(exchange)
            return [.ask(.consent)]
        }
    }

    /// As the responder, without objections.
    private mutating func respond(_ exchange: PairingExchange, at now: MonotonicTime) -> [Effect] {
        let response = send(.pairingResponse(exchange.response), at: now)
        guard exchange.isSecureConnections else { return [response] + beginLegacy(exchange, at: now) }
        phase = .awaitingPublicKey(exchange)
        return [response]
    }

    /// As the initiator.
    mutating func responded(
        to request: PairingFeatures, _ response: PairingFeatures, at now: MonotonicTime
    ) -> [Effect] {
        guard !addsKeys(request, response) else { return refuse(.invalidParameters) }
        switch exchange(request: request, response: response) {
        case .failure(let refusal): return refuse(refusal.reason)
        case .success(let exchange):
            model = exchange.choice.model
            guard exchange.choice.model == .justWorks, settings.asksConsent else { return proceed(exchange, at: now) }
            phase = .awaitingConsent(exchange)
            return [.ask(.consent)]
        }
    }

    /// In either role, without objections.
    mutating func consented(to exchange: PairingExchange, at now: MonotonicTime) -> [Effect] {
        role == .central ? proceed(exchange, at: now) : respond(exchange, at: now)
    }

    /// As the initiator, once both sides know the features of the other.
    private mutating func proceed(_ exchange: PairingExchange, at now: MonotonicTime) -> [Effect] {
        guard exchange.isSecureConnections else { return beginLegacy(exchange, at: now) }
        phase = .awaitingPublicKey(exchange)
        return [send(.pairingPublicKey(keyPair.publicKey), at: now)]
    }

    /// True if the responder adds keys to the request: it may only take keys away, 3.6.1. The flag of Long Term Keys
    /// does not count in Secure Connections, and some responders always set it.
    private func addsKeys(_ request: PairingFeatures, _ response: PairingFeatures) -> Bool {
        let isSecure = request.requirements.intersection(response.requirements).contains(.secureConnections)
        var meant: KeyDistribution = [.identity, .signing, .link]
        if !isSecure { meant.insert(.encryption) }
        return !response.initiatorKeys.intersection(meant).isSubset(of: request.initiatorKeys)
            || !response.responderKeys.intersection(meant).isSubset(of: request.responderKeys)
    }

    /// Our key pair for this pairing: out-of-band data belong to a key pair that no other pairing has.
    var keyPair: KeyPair {
        model == .outOfBand ? settings.localOutOfBand?.keyPair ?? secrets.keyPair : secrets.keyPair
    }
}

extension PairingMachine {
    private struct Refusal: Error { let reason: PairingFailedReason }

    /// The exchange by the features of both sides, or our reason to refuse. No secret has been sent yet.
    private func exchange(request: PairingFeatures, response: PairingFeatures) -> Result<PairingExchange, Refusal> {
        func refusal(_ reason: PairingFailedReason) -> Result<PairingExchange, Refusal> {
            .failure(Refusal(reason: reason))
        }
        let peer = role == .central ? response : request
        guard peer.maximumKeySize <= 16 else { return refusal(.invalidParameters) }
        let keySize = min(peer.maximumKeySize, localMaximumKeySize)
        guard keySize >= max(7, settings.minimumKeySize) else { return refusal(.encryptionKeySize) }

        let isSecure = request.requirements.intersection(response.requirements).contains(.secureConnections)
        guard isSecure || settings.allowsLegacy else { return refusal(.authenticationRequirements) }

        let choice = AssociationChoice(request: request, response: response, isSecureConnections: isSecure)
        guard settings.models.contains(choice.model) else { return refusal(.authenticationRequirements) }
        guard choice.model != .justWorks || !settings.requiresAuthentication else {
            return refusal(.authenticationRequirements)
        }
        guard choice.model != .outOfBand || hasData(isSecure: isSecure, peer: peer) else {
            return refusal(.outOfBandNotAvailable)
        }
        return .success(
            PairingExchange(
                request: request, response: response, choice: choice, isSecureConnections: isSecure, keySize: keySize))
    }

    /// True if we have the data for Out of Band: the peer's data if we have claimed to have them, and ours if the peer
    /// claims to have them.
    private func hasData(isSecure: Bool, peer: PairingFeatures) -> Bool {
        guard isSecure else { return hasTemporaryKey }
        return (!peer.hasOutOfBandData || settings.localOutOfBand?.random.count == 16)
            && (peer.hasOutOfBandData || hasSecureData)
    }

    var hasSecureData: Bool {
        settings.offersSecureConnections && settings.peerOutOfBand?.confirm?.count == 16
            && settings.peerOutOfBand?.random?.count == 16
    }

    private var hasTemporaryKey: Bool { settings.peerOutOfBand?.temporaryKey != nil }

    private var localMaximumKeySize: UInt8 { min(max(7, settings.maximumKeySize), 16) }

    /// Never keys for signing, nor ones of the other transport; Long Term Keys for LE legacy pairing alone.
    private var ownKeys: KeyDistribution {
        settings.identityKey == nil ? peerKeys.subtracting(.identity) : peerKeys
    }

    private var peerKeys: KeyDistribution {
        guard settings.isBonding else { return [] }
        return settings.allowsLegacy ? [.encryption, .identity] : .identity
    }

    private func features(
        hasOutOfBandData: Bool, gives own: KeyDistribution, takes peer: KeyDistribution
    ) -> PairingFeatures {
        var requirements: AuthenticationRequirements = []
        if settings.isBonding { requirements.insert(.bonding) }
        if settings.requiresAuthentication || settings.asksForAuthentication { requirements.insert(.protection) }
        if settings.offersSecureConnections { requirements.insert(.secureConnections) }
        return PairingFeatures(
            ioCapability: settings.ioCapability, hasOutOfBandData: hasOutOfBandData, requirements: requirements,
            maximumKeySize: localMaximumKeySize, initiatorKeys: role == .central ? own : peer,
            responderKeys: role == .central ? peer : own)
    }
}
