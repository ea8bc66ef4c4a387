// SPDX-License-Identifier: Apache-2.0

/// The octets by which a requester recognises the answer to its request. MQTT 5.0, 3.3.2.3.6.
package struct CorrelationData: Hashable, Sendable {
    /// 0…65,535 octets; only their maker knows their meaning.
    package let octets: [UInt8]

    /// - Returns: Nil for more octets than a packet can carry.
    package init?(_ octets: [UInt8]) {
        guard octets.count <= Int(UInt16.max) else { return nil }
        self.octets = octets
    }
}
