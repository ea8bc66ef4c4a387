// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import BluetoothCore

@Suite("Reasons of a link's end")
struct LinkEndReasonTests {
    @Test(
        "a reason has its code, the name of the Core Specification, and the side that ended the link",
        arguments: [
            (0x03, "0x03 Hardware Failure", LinkEndReason.Party.controller),
            (0x05, "0x05 Authentication Failure", .security), (0x06, "0x06 PIN or Key Missing", .security),
            (0x08, "0x08 Connection Timeout", .radio), (0x13, "0x13 Remote User Terminated Connection", .peer),
            (0x14, "0x14 Remote Device Terminated Connection due to Low Resources", .peer),
            (0x15, "0x15 Remote Device Terminated Connection due to Power Off", .peer),
            (0x16, "0x16 Connection Terminated By Local Host", .gateway), (0x22, "0x22 LL Response Timeout", .radio),
            (0x2F, "0x2F Insufficient Security", .security),
            (0x3B, "0x3B Unacceptable Connection Parameters", .peer),
            (0x3D, "0x3D Connection Terminated due to MIC Failure", .security),
            (0x3E, "0x3E Connection Failed to be Established", .radio), (0xFE, "0xFE", .controller),
        ])
    func known(code: Int, text: String, party: LinkEndReason.Party) {
        let reason = LinkEndReason(rawValue: UInt8(code))
        #expect(reason.description == text)
        #expect(reason.party == party)
    }

    @Test("a reason is a code and a name in JSON, and every code is read back", arguments: UInt8.min...UInt8.max)
    func coding(code: UInt8) throws {
        let reason = LinkEndReason(rawValue: code)
        let data = try JSONEncoder().encode(reason)
        #expect(try JSONDecoder().decode(LinkEndReason.self, from: data) == reason)
        let object = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
        #expect(object["code"] as? Int == Int(code) && object["name"] as? String == reason.name)
    }
}
