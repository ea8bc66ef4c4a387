// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Testing

@testable import Readings

/// Five of the 4,096 mantissas of a medical float with 16 bits are no numbers (IEEE 11073-20601).
struct MedicalFloatTests {
    @Test(
        arguments: [
            (0x7FD, false, 2_045), (0x7FE, true, 2_046), (0x7FF, true, 2_047), (0x800, true, -2_048),
            (0x801, true, -2_047), (0x802, true, -2_046), (0x803, false, -2_045), (0xFFF, false, -1), (0, false, 0),
        ] as [(UInt16, Bool, Int16)])
    func `of the short float the five special values are none, with any exponent`(
        _ octets: UInt16, _ isSpecial: Bool, _ mantissa: Int16
    ) {
        for exponent in 0..<16 as Range<UInt16> {
            let number = MedicalShortFloat(rawValue: exponent << 12 | octets)
            #expect(number.isSpecial == isSpecial && number.mantissa == mantissa)
            #expect(number.exponent == (exponent < 8 ? Int(exponent) : Int(exponent) - 16))
        }
    }
}
