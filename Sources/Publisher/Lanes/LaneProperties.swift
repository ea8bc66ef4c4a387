// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import MQTT
import Readings

/// The properties of readings, made once for all readings.
struct LaneProperties {
    /// By the number of the clock's quality.
    private let live: [MessageProperties]
    private let history: [MessageProperties]

    /// - Parameter expiry: Seconds for which a broker keeps a live value; 0: for ever.
    init(expiry: UInt32) {
        let qualities = ClockQuality.inOrder.map(\.rawValue)
        live = qualities.map { MessageProperties(expiry: expiry, user: ["clock": $0]) }
        history = qualities.map { MessageProperties(user: ["clock": $0, "historical": "true"]) }
    }

    func live(_ quality: ClockQuality) -> MessageProperties { live[Int(quality.code)] }

    /// - Parameter quality: The lowest quality of the times in the message.
    func history(_ quality: ClockQuality) -> MessageProperties { history[Int(quality.code)] }
}

extension ClockQuality {
    /// By their codes.
    fileprivate static let inOrder: [ClockQuality] = (0..<4).map { ClockQuality(code: $0) }
}
