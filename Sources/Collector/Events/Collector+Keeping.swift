// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Dispatch
import Platform

/// Events of sensors outlive the process as facts of the journal.
extension Collector {
    /// The sensor's events are written soon. Candidates are many, and each device in the air may be one.
    func keepEvents(of sensor: SensorSource) {
        guard sensor.life.isProven else { return }
        rounds.keeping.record(sensor.device)
        if !isStopping, rounds.begin(at: now) { rearm() }
    }

    /// Writes the events of these sensors that are due. Before the facts of earlier runs are known, a text would replace an
    /// unknown one.
    ///
    /// - Parameter isEnd: The gateway stops: all waiting events are due.
    func keepEvents(isEnd: Bool = false, of sources: [SensorSource]) {
        guard knowsEarlierRuns, rounds.keeping.isWaiting else { return }
        let now = MonotonicTime(nanoseconds: Int64(clamping: now.uptimeNanoseconds))
        let due = isEnd ? rounds.keeping.end(of: sources.map(\.device)) : Set(rounds.keeping.due(at: now))
        guard !due.isEmpty else { return }
        let (boot, offset) = (clock.stamp().boot, clock.anchor?.offset)
        let limit = SensorEvents.limit(sensors: linked.count + listened.count)
        for sensor in sources where sensor.life.isProven && due.contains(sensor.device) {
            let kept = KeptEvents(sensor.events, limit: limit, boot: boot, offset: offset)
            if let text = kept.text { outlet.keep(text, KeptEvents.prefix + sensor.device) }
        }
    }

    /// The sensor's events of earlier runs.
    func resumeEvents(of sensor: SensorSource) {
        guard knowsEarlierRuns else { return }
        let limit = SensorEvents.limit(sensors: linked.count + listened.count)
        sensor.events.resume(
            Self.formerEvents(of: sensor.device, outlet.identifier, boot: clock.stamp().boot), limit: limit)
    }

    /// - Parameters:
    ///   - fact: The fact under a key.
    ///   - boot: The present start of the machine.
    static func formerEvents(of device: String, _ fact: (String) -> String?, boot: String) -> [SensorEvent] {
        fact(KeptEvents.prefix + device).flatMap { KeptEvents($0) }?.former(in: boot) ?? []
    }

    /// The facts of earlier runs are known.
    func resumeEvents() {
        for device in KeptEvents.forgotten(outlet.facts(KeptEvents.prefix), at: clock.stamp().unixMilliseconds) {
            outlet.keep("", KeptEvents.prefix + device)
        }
        for sensor in sources { resumeEvents(of: sensor) }
    }
}
