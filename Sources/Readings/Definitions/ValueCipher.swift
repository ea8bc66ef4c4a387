// SPDX-License-Identifier: Apache-2.0

import SensorCipher

/// The encryption of a characteristic's value: AES-128-CBC without padding. All sensors of a model have the same key.
///
/// Each form deciphers a value at most once: ``SensorDefinition/maximumForms`` times ``SensorDefinition/maximumLength``
/// octets bound the work.
package struct ValueCipher: Equatable, Sendable {
    package static let blockLength = 16

    /// 16 octets, published: the maker's app has them.
    package var key: [UInt8]
    /// The initialization vector: 16 octets.
    package var initial: [UInt8]

    package init(key: [UInt8], initial: [UInt8]) { (self.key, self.initial) = (key, initial) }

    /// The plain octets; nil unless the octets are whole blocks.
    func open(_ octets: [UInt8]) -> [UInt8]? { PacketCipher.openCBC(octets, key: key, initial: initial) }
}
