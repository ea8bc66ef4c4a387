// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import MQTT
import Readings
import SparkplugB

/// A message for sending.
package struct OutgoingMessage: Equatable, Sendable {
    package var topic: String
    package var payload: [UInt8]
    package var retain = false
    /// The journal's number of the readings' device.
    var device: Int64 = 0
    /// The journal's rows in the message, which its acknowledgement settles.
    var rows: [Int64] = []
    /// Whether the readings have times. Readings without a time go into separate messages.
    var hasTimes = true
    /// The lowest quality of the times in the message.
    var clock = ClockQuality.synced
    var quality = QualityOfService.atLeastOnce
    /// For a Sparkplug message, whose payload gets its end when the message is sent.
    var order: SparkplugMessage.Order?
    /// The number of the event of a limit, which the acknowledgement settles.
    var limit: Int64?
    /// The content of a data message of a Sparkplug device.
    var data: SparkplugData?
}
