// SPDX-License-Identifier: Apache-2.0

/// The power supply of a Raspberry Pi, as the board's firmware judges the voltage.
package struct PowerSupply: Codable, Equatable, Sendable {
    /// The voltage is too low now.
    package var isWeak: Bool
    /// The voltage was too low once since the machine started.
    package var wasWeak: Bool

    /// The kernel's file with the firmware's flags.
    package static let path = "/sys/devices/platform/soc/soc:firmware/get_throttled"

    /// - Parameter flags: The text of ``path``, in hexadecimal. Bit 0: under-voltage now; bit 16: under-voltage since the start.
    package init?(flags text: String) {
        let digits = text.prefix { $0.isHexDigit }
        guard let bits = UInt32(digits, radix: 16) else { return nil }
        (isWeak, wasWeak) = (bits & 1 != 0, bits & 1 << 16 != 0)
    }
}
