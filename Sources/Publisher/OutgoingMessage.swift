// SPDX-License-Identifier: Apache-2.0

import MQTT
import Readings
import SparkplugB

/// A message that is ready to be sent.
package struct OutgoingMessage: Equatable, Sendable {
    package var topic: String
    package var payload: [UInt8]
    package var retain = false
    /// The journal's number of the device that the readings are of.
    var device: Int64 = 0
    /// The journal's rows in it, which its acknowledgement settles.
    var rows: [Int64] = []
    /// Whether the readings in it have times: those without one are in messages of their own.
    var hasTimes = true
    /// The least that can be said of the times in it.
    var clock = ClockQuality.synced
    var quality = QualityOfService.atLeastOnce
    /// Of a message of Sparkplug's, whose payload gets its end when it is sent.
    var order: SparkplugMessage.Order?
    /// What a message with data of a Sparkplug device is about.
    var data: SparkplugData?
}
