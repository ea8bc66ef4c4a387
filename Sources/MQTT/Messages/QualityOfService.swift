// SPDX-License-Identifier: Apache-2.0

/// How often a message is delivered. MQTT 5.0, 4.3. QoS 2 is left out: sequence numbers tell duplicates apart here, and
/// the guard can refuse the packets of QoS 2.
package enum QualityOfService: UInt8, Sendable {
    /// QoS 0.
    case atMostOnce = 0
    /// QoS 1.
    case atLeastOnce = 1
}
