// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import SMP
import Testing

/// A whole pairing up to the encryption of the link, computed by an independent implementation of the specification with its own nonces.
/// Numbers are most significant octet first, PDUs as on the air.
struct PairingTranscript: CustomTestStringConvertible {
    struct Line: Equatable {
        let from: LinkRole
        let octets: [UInt8]
    }

    let name: String
    let initiator: DeviceAddress
    let responder: DeviceAddress
    /// The key of the encryption: the Long Term Key, or the Short Term Key cut to its size.
    let key: String
    var temporaryKey: String?
    var initiatorPrivateKey: String?
    var responderPrivateKey: String?
    var passkey: UInt32?
    var number: UInt32?
    /// Each side's confirm value and random number from out of band.
    var initiatorData: (confirm: String, random: String)?
    var responderData: (confirm: String, random: String)?
    /// `>` is said by the initiator, `<` by the responder.
    let pdus: String

    var testDescription: String { name }
}

extension PairingTranscript {
    static let all = short + passkeyEntry

    var lines: [Line] {
        pdus.split(separator: "\n").map {
            Line(from: $0.hasPrefix(">") ? .central : .peripheral, octets: PairingSample.octets(String($0.dropFirst())))
        }
    }

    func features(_ role: LinkRole) throws -> PairingFeatures? {
        switch try SMPPDU(lines[role == .central ? 0 : 1].octets) {
        case .pairingRequest(let features), .pairingResponse(let features): features
        default: nil
        }
    }

    /// In the order of the rounds.
    func nonces(_ role: LinkRole) -> [[UInt8]] {
        lines.filter { $0.from == role && $0.octets.first == 0x04 }.map { $0.octets.dropFirst().reversed() }
    }

    /// In LE legacy pairing, the passkey is the Temporary Key.
    var enteredPasskey: UInt32 {
        passkey ?? PairingSample.octets(temporaryKey ?? "").suffix(4).reduce(0) { $0 << 8 | UInt32($1) }
    }

    func keyPair(_ role: LinkRole) -> KeyPair {
        let own = role == .central ? initiatorPrivateKey : responderPrivateKey
        return own.map(PairingSample.keyPair) ?? PairingSample.initiatorPair
    }
}
