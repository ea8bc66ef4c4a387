// SPDX-License-Identifier: Apache-2.0

import ATT
import BluetoothCore
import Testing

struct ATTPDUTests {
    static let short = BluetoothUUID(UInt16(0x2A6E))
    static let long = BluetoothUUID(high: 0x5E4D_0001_1C7B_4B5E, low: 0x9B0A_3F6B_2C9D_7A10)

    /// Each PDU with its octets. `minimum` is the length of the shortest prefix that is also a PDU, where values may have any length.
    static let rows: [(pdu: ATTPDU, octets: String, minimum: Int)] = [
        (.errorResponse(request: .readRequest, handle: 3, error: .readNotPermitted), "01 0a 0300 02", 5),
        (.exchangeMTURequest(mtu: 517), "02 0502", 3),
        (.exchangeMTUResponse(mtu: 247), "03 f700", 3),
        (.findInformationRequest(start: 1, end: 0xFFFF), "04 0100 ffff", 5),
        (
            .findInformationResponse([.init(handle: 4, type: BluetoothUUID(UInt16(0x2902)))]), "05 01 0400 0229", 6
        ),
        (
            .findInformationResponse([.init(handle: 4, type: long)]),
            "05 02 0400 107a9d2c6b3f0a9b5e4b7b1c01004d5e", 20
        ),
        (.findByTypeValueRequest(start: 1, end: 9, type: 0x2800, value: [0x0D, 0x18]), "06 0100 0900 0028 0d18", 7),
        (.findByTypeValueResponse([.init(start: 1, end: 5)]), "07 0100 0500", 5),
        (.readByTypeRequest(start: 1, end: 9, type: short), "08 0100 0900 6e2a", 7),
        (.readByTypeResponse([.init(handle: 2, value: [7, 8])]), "09 04 0200 0708", 6),
        (.readRequest(handle: 3), "0a 0300", 3),
        (.readResponse([1, 2]), "0b 0102", 1),
        (.readBlobRequest(handle: 3, offset: 22), "0c 0300 1600", 5),
        (.readBlobResponse([1]), "0d 01", 1),
        (.readMultipleRequest(handles: [3, 5]), "0e 0300 0500", 5),
        (.readMultipleResponse([1, 2]), "0f 0102", 1),
        (.readMultipleVariableRequest(handles: [3, 5]), "20 0300 0500", 5),
        (.multipleHandleValueNotification([.init(handle: 3, value: [7])]), "23 0300 0100 07", 6),
        (.signedWriteCommand(handle: 4, value: [], signature: Array(1...12)), "d2 0400 0102030405060708090a0b0c", 15),
        (.readByGroupTypeRequest(start: 1, end: 9, type: BluetoothUUID(UInt16(0x2800))), "10 0100 0900 0028", 7),
        (.readByGroupTypeResponse([.init(start: 1, end: 5, value: [0x0D, 0x18])]), "11 06 0100 0500 0d18", 8),
        (.writeRequest(handle: 4, value: [1, 0]), "12 0400 0100", 3),
        (.writeResponse, "13", 1),
        (.prepareWriteRequest(handle: 4, offset: 18, value: [9]), "16 0400 1200 09", 5),
        (.prepareWriteResponse(handle: 4, offset: 18, value: [9]), "17 0400 1200 09", 5),
        (.executeWriteRequest(commit: true), "18 01", 2),
        (.executeWriteResponse, "19", 1),
        (.notification(handle: 3, value: [1]), "1b 0300 01", 3),
        (.indication(handle: 3, value: [1]), "1d 0300 01", 3),
        (.confirmation, "1e", 1),
        (.writeCommand(handle: 4, value: [1]), "52 0400 01", 3),
    ]

    @Test(arguments: rows.indices) func `a PDU is written and read as the specification has it`(index: Int) throws {
        let (pdu, text, minimum) = Self.rows[index]
        let octets = try #require([UInt8](hexadecimal: text))
        #expect(pdu.encoded == octets)
        #expect(try ATTPDU(decoding: octets[...]) == pdu)
        for count in 0..<octets.count {
            if count >= minimum {
                _ = try ATTPDU(decoding: octets[..<count])
            } else {
                #expect(throws: DecodeError.self) { try ATTPDU(decoding: octets[..<count]) }
            }
        }
    }

    @Test func `values with their lengths are read, and the last one may be cut`() throws {
        let octets: [UInt8] = [0x21, 2, 0, 7, 8, 3, 0, 1, 2, 3]
        let pdu = ATTPDU.readMultipleVariableResponse([[7, 8], [1, 2, 3]])
        #expect(pdu.encoded == octets)
        #expect(try ATTPDU(decoding: octets[...]) == pdu)
        #expect(try ATTPDU(decoding: octets[..<9]) == .readMultipleVariableResponse([[7, 8], [1, 2]], isCut: true))
        #expect(try ATTPDU(decoding: octets[..<7]) == .readMultipleVariableResponse([[7, 8], []], isCut: true))
        for count in [1, 2, 6] { #expect(throws: DecodeError.self) { try ATTPDU(decoding: octets[..<count]) } }
    }

    @Test(arguments: [
        "05 03 0400 0229", "05 01", "09 01 02", "09 00", "11 03 010203", "18 02", "08 0100 0900 01020304",
    ])
    func `a PDU that contradicts itself is refused`(text: String) throws {
        let octets = try #require([UInt8](hexadecimal: text))
        #expect(throws: DecodeError.self) { try ATTPDU(decoding: octets[...]) }
    }

    @Test(arguments: [
        ("05 01 0400 0229 05", "05 01 0400 0229"), ("07 0100 0500 0600", "07 0100 0500"),
        ("05 02 0400 107a9d2c6b3f0a9b5e4b7b1c01004d5e 0500 10", "05 02 0400 107a9d2c6b3f0a9b5e4b7b1c01004d5e"),
        ("09 04 0200 0708 0300 07", "09 04 0200 0708"), ("11 06 0100 0500 0d18 0600 09", "11 06 0100 0500 0d18"),
    ])
    func `a list that breaks off in an item has the items before`(octets: String, whole: String) throws {
        let (octets, whole) = (try #require([UInt8](hexadecimal: octets)), try #require([UInt8](hexadecimal: whole)))
        let pdu = try #require(ATTPDU(wholeItemsOf: octets[...]))
        #expect(try pdu == ATTPDU(decoding: whole[...]) && pdu.lastHandle != nil)
    }

    /// Whole lists, lists without a whole item, other formats and lengths, and PDUs without a list.
    @Test(arguments: [
        "", "05", "05 01", "05 01 0400 02", "05 01 0400 0229", "05 00 0400 0229 05", "05 03 0400 0229 05", "07 0100 05",
        "09 00 0200", "09 01 02 03", "09 04 0200 07", "11 03 0100 05 06", "11 06 0100 0500 0d", "13 00", "0b 0102 03",
        "01 0a 0300 02 07",
    ])
    func `other octets have no whole items`(text: String) throws {
        let octets = try #require([UInt8](hexadecimal: text))
        #expect(ATTPDU(wholeItemsOf: octets[...]) == nil)
    }

    @Test func `random octets never trap`() {
        for _ in 0..<20_000 {
            let octets = (0..<Int.random(in: 0...30)).map { _ in UInt8.random(in: 0...255) }
            _ = try? ATTPDU(decoding: octets[...])
            _ = ATTPDU(wholeItemsOf: octets[...])
        }
    }
}
