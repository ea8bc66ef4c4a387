// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// The keys of the peer, as they come in.
struct KeyCollection: Sendable {
    /// The next PDU: the specification fixes one order.
    enum Part: Sendable {
        case encryptionInformation, centralIdentification, identityInformation, identityAddress
    }

    let exchange: PairingExchange
    /// With Secure Connections, the key that both sides have computed.
    let longTermKey: SecretKey
    /// In the order in which they have to come.
    var missing: [Part]
    /// The peer's key before its EDIV and Rand have come.
    var unnamedKey: SecretKey?
    var peerKey: LegacyKey?
    var localKey: LegacyKey?
    var identityKey: SecretKey?
    var identity: DeviceAddress?

    init(_ exchange: PairingExchange, longTermKey: SecretKey, missing: [Part]) {
        self.exchange = exchange
        self.longTermKey = longTermKey
        self.missing = missing
    }

    /// LE legacy pairing may leave nothing behind but the link encrypted.
    private var hasKeys: Bool { exchange.isSecureConnections || peerKey != nil || localKey != nil }

    var result: PairingResult {
        PairingResult(
            keys: exchange.isSecureConnections
                ? .secureConnections(longTermKey) : .legacy(peerDistributed: peerKey, localDistributed: localKey),
            keySize: exchange.keySize, model: exchange.choice.model, identity: identity, identityKey: identityKey,
            isBonding: exchange.isBonding && hasKeys)
    }
}

/// Phase 3: keys over the encrypted link, the responder's before the initiator's.
/// Core 5.4, Vol 3, Part H, 2.4.3 and 3.6.
extension PairingMachine {
    mutating func distribute(_ exchange: PairingExchange, _ key: SecretKey, at now: MonotonicTime) -> [Effect] {
        var collection = KeyCollection(exchange, longTermKey: key, missing: keysExpected(of: exchange))
        deadline = now + Self.timeout
        let sent = role == .peripheral ? giveKeys(&collection, at: now) : []
        return sent + proceed(collection, at: now)
    }

    /// The PDUs that the peer has to send, in order.
    func keysExpected(of exchange: PairingExchange) -> [KeyCollection.Part] {
        let keys = role == .central ? exchange.responderKeys : exchange.initiatorKeys
        return (keys.contains(.encryption) ? [.encryptionInformation, .centralIdentification] : [])
            + (keys.contains(.identity) ? [.identityInformation, .identityAddress] : [])
    }

    /// Nil if another PDU has to come now.
    mutating func collect(_ pdu: SMPPDU, _ collection: KeyCollection, at now: MonotonicTime) -> [Effect]? {
        var collection = collection
        switch (collection.missing.first, pdu) {
        case (.encryptionInformation, .encryptionInformation(let key)):
            // A key of zeros is no secret.
            guard key != .zero else { return refuse(.keyRejected) }
            collection.unnamedKey = key
        case (.centralIdentification, .centralIdentification(let ediv, let rand)):
            guard let key = collection.unnamedKey else { return refuse(.unspecifiedReason) }
            collection.peerKey = LegacyKey(key: key, ediv: ediv, rand: rand)
            collection.unnamedKey = nil
        case (.identityInformation, .identityInformation(let key)):
            // Zeros mean that the peer has no private addresses.
            collection.identityKey = key == .zero ? nil : key
        case (.identityAddress, .identityAddressInformation(let address)):
            // Some peripherals send zeros. The address of the connection is their identity.
            if address.value == 0 {
                collection.identityKey = nil
                break
            }
            guard address.isIdentity else { return refuse(.invalidParameters) }
            collection.identity = address
        default:
            return nil
        }
        collection.missing.removeFirst()
        return proceed(collection, at: now)
    }

    private mutating func proceed(_ collection: KeyCollection, at now: MonotonicTime) -> [Effect] {
        guard collection.missing.isEmpty else {
            phase = .distributing(collection)
            return []
        }
        var collection = collection
        let sent = role == .central ? giveKeys(&collection, at: now) : []
        close()
        return sent + [.finished(collection.result)]
    }

    private mutating func giveKeys(_ collection: inout KeyCollection, at now: MonotonicTime) -> [Effect] {
        let exchange = collection.exchange
        let keys = role == .central ? exchange.initiatorKeys : exchange.responderKeys
        var pdus: [SMPPDU] = []
        if keys.contains(.encryption) {
            let key = secrets.legacyKey(size: exchange.keySize)
            collection.localKey = key
            pdus = [.encryptionInformation(key.key), .centralIdentification(ediv: key.ediv, rand: key.rand)]
        }
        if keys.contains(.identity), let identityKey = settings.identityKey {
            pdus += [.identityInformation(identityKey), .identityAddressInformation(settings.identity)]
        }
        return pdus.map { send($0, at: now) }
    }
}
