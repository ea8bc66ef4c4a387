// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Foundation
import Health
import Logging
import Platform
import Readings

/// The memory of the counters of encrypted packets, in this run and over restarts. See ``ReplayGuard``.
extension Collector {
    /// By address, because an entry may give the sensor another name.
    private static func name(of sensor: ListenedSensor) -> String {
        sensor.candidate.address.map { DeviceAddress(kind: .public, value: $0).compact } ?? sensor.device
    }

    private static func counterKey(of sensor: ListenedSensor) -> String { "counter:" + name(of: sensor) }
    private static func tagKey(of sensor: ListenedSensor) -> String { "tags:" + name(of: sensor) }

    func keepCounter(of sensor: ListenedSensor, at now: Int64, isEvent: Bool) {
        if knowsEarlierRuns, sensor.counter.takeWrite(at: now, isEvent: isEvent) { writeCounter(of: sensor) }
    }

    /// Adds a mark of the key, because the sensor counts anew under another key.
    func writeCounter(of sensor: ListenedSensor) {
        guard let key = sensor.key.octets else { return }
        let (replay, mark) = (sensor.packets.replay, Self.mark(of: key))
        // The journal writes only changed texts.
        if let text = replay.counterText(mark: mark) { outlet.keep(text, Self.counterKey(of: sensor)) }
        if let text = replay.tagText(mark: mark) { outlet.keep(text, Self.tagKey(of: sensor)) }
    }

    func resumeCounter(of sensor: ListenedSensor) {
        guard let key = sensor.key.octets, let text = outlet.identifier(Self.counterKey(of: sensor)) else { return }
        let tags = outlet.identifier(Self.tagKey(of: sensor))
        sensor.packets.change { $0.resume(counter: text, tags: tags, mark: Self.mark(of: key)) }
    }

    /// 16 bits that distinguish keys and reveal nothing about them (FNV-1a, folded).
    private static func mark(of key: [UInt8]) -> String {
        let hash = key.reduce(UInt32(2_166_136_261)) { ($0 ^ UInt32($1)) &* 16_777_619 }
        return String(UInt16(truncatingIfNeeded: hash ^ hash >> 16), radix: 16)
    }

    /// The packet was refused as a recording.
    func recordReplay(of sensor: ListenedSensor) {
        sensor.refused.count(.replayed)
        logger.debug("a packet was played back", metadata: sensor.metadata)
        guard sensor.counter.isNews(hasGoneBack: sensor.packets.replay.hasGoneBack) else { return }
        let text = advise(
            "the counter of its packets went back, and the gateway refuses the packets: after a change of the battery, "
                + "run \(.martlet(.trust, sensor.device)); else perhaps an attacker plays old packets back")
        sensor.counter.wentBack(text)
        record(.counterBack, of: sensor, "the gateway refuses its packets until the operator trusts the new count")
        logger.warning(
            "a sensor's counter went back", metadata: sensor.metadata.merging(["cause": "\(text)"]) { $1 })
    }

    /// The operator says that the sensor counts from another number now. False for a sensor without a counter.
    func settleCounter(of sensor: ListenedSensor) -> Bool {
        guard sensor.key.exists else { return false }
        let now = uptime
        sensor.packets.change { $0.settle(at: now) }
        sensor.counter.settle()
        if knowsEarlierRuns { writeCounter(of: sensor) }
        logger.notice("the operator trusts a sensor's counter", metadata: sensor.metadata)
        return true
    }
}
