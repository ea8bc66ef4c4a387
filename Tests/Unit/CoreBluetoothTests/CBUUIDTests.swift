// SPDX-License-Identifier: Apache-2.0

import CoreBluetooth
import Foundation
import Testing

struct CBUUIDTests {
    @Test func `UUIDs are equal whatever form they were given in`() throws {
        #expect(CBUUID(string: "180D") == CBUUID(string: "0000180d-0000-1000-8000-00805f9b34fb"))
        #expect(CBUUID(string: "180D").hash == CBUUID(data: Data([0x18, 0x0D])).hash)
        #expect(CBUUID(data: Data([0x18, 0x0D])).uuidString == "180D")
        #expect(CBUUID(string: "12345678").data == Data([0x12, 0x34, 0x56, 0x78]))
        let long = try #require(UUID(uuidString: "5E4D0001-1C7B-4B5E-9B0A-3F6B2C9D7A10"))
        #expect(CBUUID(nsuuid: long).uuidString == long.uuidString)
        #expect(CBUUID(validating: "no UUID") == nil)
        #expect(Set([CBUUID(string: "2A37"), CBUUID(string: "2a37")]).count == 1)
    }
}
