// SPDX-License-Identifier: Apache-2.0

/// How often a message is delivered. MQTT 5.0, 4.3. QoS 2 is not among them: what is done twice here is known by its number,
/// and the guard has no need to let its packets in.
package enum QualityOfService: UInt8, Sendable {
    /// QoS 0.
    case atMostOnce = 0
    /// QoS 1.
    case atLeastOnce = 1
}
