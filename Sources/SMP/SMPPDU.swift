// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// A command of the Security Manager Protocol. Core 5.4, Vol 3, Part H, 3.5 and 3.6.
///
/// Values of 16 octets are most significant first here, and least significant first on the air.
package enum SMPPDU: Equatable, Sendable {
    case pairingRequest(PairingFeatures)
    case pairingResponse(PairingFeatures)
    case pairingConfirm([UInt8])
    case pairingRandom([UInt8])
    case pairingFailed(PairingFailedReason)
    case encryptionInformation(SecretKey)
    case centralIdentification(ediv: UInt16, rand: UInt64)
    case identityInformation(SecretKey)
    case identityAddressInformation(DeviceAddress)
    case signingInformation(SecretKey)
    case securityRequest(AuthenticationRequirements)
    case pairingPublicKey(PairingPublicKey)
    case pairingDHKeyCheck([UInt8])
    /// Notification type: 0 started, 1 digit entered, 2 digit erased, 3 cleared, 4 completed.
    case pairingKeypressNotification(type: UInt8)
    case unknown(code: UInt8, parameters: [UInt8])

    /// The length of the largest PDU: Pairing Public Key.
    package static let maximumLength = 65

    package var code: UInt8 {
        switch self {
        case .pairingRequest: 0x01
        case .pairingResponse: 0x02
        case .pairingConfirm: 0x03
        case .pairingRandom: 0x04
        case .pairingFailed: Self.failedCode
        case .encryptionInformation: 0x06
        case .centralIdentification: 0x07
        case .identityInformation: 0x08
        case .identityAddressInformation: 0x09
        case .signingInformation: 0x0A
        case .securityRequest: 0x0B
        case .pairingPublicKey: 0x0C
        case .pairingDHKeyCheck: 0x0D
        case .pairingKeypressNotification: 0x0E
        case .unknown(let code, _): code
        }
    }

    static let failedCode: UInt8 = 0x05
}

extension SMPPDU {
    package init(_ octets: ArraySlice<UInt8>) throws(DecodeError) {
        var reader = ByteReader(octets)
        let code = try reader.u8("code")
        switch code {
        case 0x01: self = .pairingRequest(try PairingFeatures(&reader))
        case 0x02: self = .pairingResponse(try PairingFeatures(&reader))
        case 0x03: self = .pairingConfirm(try reader.reversed(16, "confirmValue"))
        case 0x04: self = .pairingRandom(try reader.reversed(16, "randomValue"))
        case Self.failedCode: self = .pairingFailed(PairingFailedReason(rawValue: try reader.u8("reason")))
        case 0x06: self = .encryptionInformation(try reader.key("longTermKey"))
        case 0x07: self = .centralIdentification(ediv: try reader.u16("ediv"), rand: try reader.u64("rand"))
        case 0x08: self = .identityInformation(try reader.key("identityResolvingKey"))
        case 0x09:
            guard let kind = DeviceAddress.Kind(rawValue: try reader.u8("addressType")) else {
                throw .invalid(field: "addressType")
            }
            self = .identityAddressInformation(DeviceAddress(kind: kind, value: try reader.u48("address")))
        case 0x0A: self = .signingInformation(try reader.key("signatureKey"))
        case 0x0B:
            self = .securityRequest(AuthenticationRequirements(rawValue: try reader.u8("authenticationRequirements")))
        case 0x0C:
            let x = try reader.reversed(32, "publicKeyX")
            let y = try reader.reversed(32, "publicKeyY")
            guard let key = PairingPublicKey(x: x, y: y) else { throw .invalid(field: "publicKey") }
            self = .pairingPublicKey(key)
        case 0x0D: self = .pairingDHKeyCheck(try reader.reversed(16, "dhKeyCheck"))
        case 0x0E: self = .pairingKeypressNotification(type: try reader.u8("notificationType"))
        default: self = .unknown(code: code, parameters: Array(reader.rest()))
        }
        try reader.finish()
    }

    package init(_ octets: [UInt8]) throws(DecodeError) { self = try SMPPDU(octets[...]) }

    package var octets: [UInt8] {
        var octets = [code]
        switch self {
        case .pairingRequest(let features), .pairingResponse(let features): octets += features.octets
        case .pairingConfirm(let value), .pairingRandom(let value), .pairingDHKeyCheck(let value):
            octets += value.reversed()
        case .pairingFailed(let reason): octets.append(reason.rawValue)
        case .encryptionInformation(let key), .identityInformation(let key), .signingInformation(let key):
            octets += key.littleEndian
        case .centralIdentification(let ediv, let rand):
            octets.append(u16: ediv)
            octets.append(u64: rand)
        case .identityAddressInformation(let address):
            octets.append(address.kind.rawValue)
            octets.append(u48: address.value)
        case .securityRequest(let requirements): octets.append(requirements.rawValue)
        case .pairingPublicKey(let key):
            octets += key.x.reversed()
            octets += key.y.reversed()
        case .pairingKeypressNotification(let type): octets.append(type)
        case .unknown(_, let parameters): octets += parameters
        }
        return octets
    }
}

extension ByteReader {
    fileprivate mutating func reversed(_ count: Int, _ field: StaticString) throws(DecodeError) -> [UInt8] {
        try bytes(count, field).reversed()
    }

    fileprivate mutating func key(_ field: StaticString) throws(DecodeError) -> SecretKey {
        guard let key = SecretKey(try reversed(16, field)) else { throw .truncated(field: field) }
        return key
    }
}
