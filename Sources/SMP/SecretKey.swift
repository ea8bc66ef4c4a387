// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// A secret of 128 bits, printed as a placeholder in all of Swift's ways to print a value.
package struct SecretKey: Hashable, Sendable {
    /// Most significant octet first, as the specification prints keys; 16 of them.
    package let octets: [UInt8]

    /// Nil unless there are 16 octets.
    package init?(_ octets: some Collection<UInt8>) {
        guard octets.count == 16 else { return nil }
        self.octets = Array(octets)
    }

    /// Reads 32 hexadecimal digits, most significant octet first.
    package init?(hexadecimal text: String) {
        guard let octets = [UInt8](hexadecimal: text) else { return nil }
        self.init(octets)
    }

    package static let zero = SecretKey(trusted: [UInt8](repeating: 0, count: 16))

    private init(trusted octets: [UInt8]) { self.octets = octets }

    /// As commands and Security Manager PDUs carry it: least significant octet first.
    package var littleEndian: [UInt8] { octets.reversed() }
}

extension SecretKey: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package var description: String { "<key>" }
    package var debugDescription: String { "<key>" }
    package var customMirror: Mirror { Mirror(self, children: []) }
}

extension SecretKey: Codable {
    package init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let key = SecretKey(hexadecimal: try container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "a key has 32 hexadecimal digits")
        }
        self = key
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(octets.hexadecimal)
    }
}
