// SPDX-License-Identifier: Apache-2.0

/// The texts that MQTT and libmosquitto accept. MQTT 5.0, 1.5.4.
package enum MQTTText {
    /// Octets of the longest text.
    static let longest = 65_535

    /// Whether the text has neither control characters nor non-characters: a receiver may end the connection over them,
    /// and libmosquitto does.
    static func isPlain(_ text: some StringProtocol) -> Bool { text.unicodeScalars.allSatisfy(isPlain) }

    package static func isPlain(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0...0x1F, 0x7F...0x9F, 0xFDD0...0xFDEF: false
        case let value: value & 0xFFFE != 0xFFFE
        }
    }
}
