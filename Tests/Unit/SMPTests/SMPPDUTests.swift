// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import SMP
import Testing

struct SMPPDUTests {
    /// Octets on the air, the PDU, and the name of each field with its first octet.
    struct Row: CustomTestStringConvertible {
        let octets: [UInt8]
        let pdu: SMPPDU
        let fields: [(start: Int, name: StaticString)]
        var testDescription: String { "code \(octets[0])" }

        init(_ text: String, _ pdu: SMPPDU, _ fields: [(start: Int, name: StaticString)]) {
            octets = PairingSample.octets(text)
            self.pdu = pdu
            self.fields = [(0, "code")] + fields
        }
    }

    private static let features = PairingFeatures(
        ioCapability: .keyboardDisplay, hasOutOfBandData: true, requirements: [.bonding, .protection],
        maximumKeySize: 16, initiatorKeys: .identity, responderKeys: [.encryption, .identity])
    private static let featureFields: [(start: Int, name: StaticString)] = [
        (1, "ioCapability"), (2, "outOfBandFlag"), (3, "authenticationRequirements"), (4, "maximumKeySize"),
        (5, "initiatorKeys"), (6, "responderKeys"),
    ]
    private static let value = "0f0e0d0c0b0a09080706050403020100"
    private static let octets = Array(0..<16) as [UInt8]
    private static let key = PairingSample.key("000102030405060708090a0b0c0d0e0f")

    static let rows = [
        Row("01 04 01 05 10 02 03", .pairingRequest(features), featureFields),
        Row("02 04 01 05 10 02 03", .pairingResponse(features), featureFields),
        Row("03" + value, .pairingConfirm(octets), [(1, "confirmValue")]),
        Row("04" + value, .pairingRandom(octets), [(1, "randomValue")]),
        Row("05 04", .pairingFailed(.confirmValueFailed), [(1, "reason")]),
        Row("05 7f", .pairingFailed(PairingFailedReason(rawValue: 0x7F)), [(1, "reason")]),
        Row("06" + value, .encryptionInformation(key), [(1, "longTermKey")]),
        Row(
            "07 3412 efcdab9078563412", .centralIdentification(ediv: 0x1234, rand: 0x1234_5678_90AB_CDEF),
            [(1, "ediv"), (3, "rand")]),
        Row("08" + value, .identityInformation(key), [(1, "identityResolvingKey")]),
        Row(
            "09 01 05331dc9a0f1", .identityAddressInformation(DeviceAddress(kind: .random, value: 0xF1A0_C91D_3305)),
            [(1, "addressType"), (2, "address")]),
        Row("0a" + value, .signingInformation(key), [(1, "signatureKey")]),
        Row(
            "0b 0d", .securityRequest([.bonding, .protection, .secureConnections]), [(1, "authenticationRequirements")]),
        Row("0b e8", .securityRequest(.init(rawValue: 0xE8)), [(1, "authenticationRequirements")]),
        Row(
            "0ce69d350e480103ccdbfdf4ac1191f4efb9a5f9e9a7832c5e2cbe97f2d203b020"
                + "8bd28915d08e1c742430ed8fc24563765c15525abf9a32636deb2a65499c80dc",
            .pairingPublicKey(PairingSample.debugPair.publicKey), [(1, "publicKeyX"), (33, "publicKeyY")]),
        Row("0d" + value, .pairingDHKeyCheck(octets), [(1, "dhKeyCheck")]),
        Row("0e 02", .pairingKeypressNotification(type: 2), [(1, "notificationType")]),
    ]

    @Test(arguments: rows) func `it is read and written`(row: Row) throws {
        #expect(try SMPPDU(row.octets) == row.pdu)
        #expect(row.pdu.octets == row.octets)
        #expect(row.pdu.code == row.octets[0])
        #expect(row.octets.count <= SMPPDU.maximumLength)
    }

    @Test(arguments: rows) func `each truncation names the field that it cuts`(row: Row) {
        for count in 0..<row.octets.count {
            let field = row.fields.last { $0.start <= count }?.name ?? "code"
            #expect(throws: DecodeError.truncated(field: field)) { try SMPPDU(row.octets.prefix(count)) }
        }
    }

    @Test(arguments: rows) func `octets after the last field are refused`(row: Row) {
        #expect(throws: DecodeError.trailing(octets: 1)) { try SMPPDU(row.octets + [0]) }
        #expect(throws: DecodeError.trailing(octets: 70)) { try SMPPDU(row.octets + [UInt8](repeating: 0, count: 70)) }
    }

    @Test(
        arguments: [
            (1, 5, "ioCapability"), (1, 0xFF, "ioCapability"), (2, 2, "outOfBandFlag"), (2, 0x80, "outOfBandFlag"),
        ] as [(Int, UInt8, StaticString)])
    func `features that nobody has defined are refused`(index: Int, octet: UInt8, field: StaticString) {
        for row in Self.rows.prefix(2) {
            var octets = row.octets
            octets[index] = octet
            #expect(throws: DecodeError.invalid(field: field)) { try SMPPDU(octets) }
        }
    }

    @Test func `reserved bits are kept: they go into the check values`() throws {
        let octets: [UInt8] = [0x01, 0x03, 0x00, 0xC8, 0x10, 0xF0, 0xF2]
        #expect(try SMPPDU(octets).octets == octets)
    }

    @Test func `an identity address is public or random`() {
        #expect(throws: DecodeError.invalid(field: "addressType")) { try SMPPDU([0x09, 2, 0, 0, 0, 0, 0, 0]) }
    }

    @Test func `codes that nobody has defined are values`() throws {
        for code in [0x00] + Array(0x0F...0xFF) as [UInt8] {
            #expect(try SMPPDU([code, 1, 2]) == .unknown(code: code, parameters: [1, 2]))
            #expect(SMPPDU.unknown(code: code, parameters: [1, 2]).octets == [code, 1, 2])
        }
    }
}
