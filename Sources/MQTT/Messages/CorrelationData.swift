// SPDX-License-Identifier: Apache-2.0

/// By which somebody who has asked knows the answer. MQTT 5.0, 3.3.2.3.6.
package struct CorrelationData: Hashable, Sendable {
    /// 0…65,535 of them; only who made them knows what they mean.
    package let octets: [UInt8]

    /// - Returns: Nil for more octets than a packet can carry.
    package init?(_ octets: [UInt8]) {
        guard octets.count <= Int(UInt16.max) else { return nil }
        self.octets = octets
    }
}
