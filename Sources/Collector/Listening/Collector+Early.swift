// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Logging
import Platform
import Readings

/// Encrypted packets between a start and the opening of the journal: see ``EarlyPackets``.
extension Collector {
    /// The packet waits for the facts of earlier runs.
    func wait(with packet: EarlyPackets.Packet, of sensor: ListenedSensor) {
        switch sensor.early.judge(packet) {
        case .waits: break
        case .repeated: sensor.refused.countRepeat()
        case .displaced: sensor.refused.count(.tooEarly)
        }
    }

    /// The journal is open now: earlier runs are known.
    func judgeEarly(of sensor: ListenedSensor) {
        for one in sensor.early.takeAll() {
            judge(one.packet, one.stream, of: sensor, counter: one.counter, tag: one.tag, at: one.stamp)
        }
    }

    /// The sensor goes, its key has changed, or the gateway stops.
    func refuseEarly(of sensor: ListenedSensor) {
        let count = sensor.early.takeAll().count
        guard count > 0 else { return }
        sensor.refused.count(.tooEarly, count)
        logger.notice(
            "packets of a sensor came before the journal was open, and are refused",
            metadata: sensor.metadata.merging(["count": "\(count)"]) { $1 })
    }
}
