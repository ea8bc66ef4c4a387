// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import CoreBluetooth
import Dispatch
import Foundation
import Logging
import Platform
import Readings

/// The collector records each event of a sensor twice: a line in the log, and an event for the answers of
/// `martlet why`. Events are about links, attempts and pairings. A value makes no event.
extension Collector {
    func record(
        _ kind: SensorEvent.Kind, of sensor: SensorSource, _ detail: String? = nil,
        _ change: (inout SensorEvent) -> Void = { _ in }
    ) {
        let stamp = clock.stamp()
        var event = SensorEvent(
            kind, uptimeMs: stamp.uptimeMilliseconds, unixMs: stamp.unixMilliseconds, detail: detail)
        event.link = (sensor as? LinkedSensor)?.record.number
        change(&event)
        let limit = SensorEvents.limit(sensors: linked.count + listened.count)
        sensor.events.record(event, limit: sensor.life.eventLimit(limit))
        keepEvents(of: sensor)
    }

    // MARK: Links

    func recordLink(of sensor: LinkedSensor) {
        sensor.record.began(sensor.peripheral.linkNumber, at: uptime)
        record(.connected, of: sensor)
    }

    /// Records each end of a link once. A cancelled request for a link has nothing to record.
    func recordEnd(of sensor: LinkedSensor, _ reason: LinkEndReason?, _ error: (any Error)? = nil) {
        guard let since = sensor.record.since else { return }
        let lasted = max(0, uptime.subtractingSaturated(since))
        // A link that this gateway gave up may end for another reason first.
        let cause = isStopping ? "the gateway is stopping" : sensor.record.endCause
        let during = (error as? CBError)?.outstanding
        let detail: String? =
            switch reason?.party {
            case .gateway: cause ?? error?.localizedDescription
            case nil: error.map(describe)
            default: nil
            }
        let rssi = sensor.strength
        record(.linkEnded, of: sensor, detail) { event in
            (event.reason, event.endedBy, event.lastedMs) = (reason, reason?.party, lasted)
            (event.during, event.rssi) = (during, rssi.map(Int.init))
        }
        var metadata = sensor.metadata
        metadata["reason"] = "\(reason.map(String.init(describing:)) ?? error.map(describe) ?? "unknown")"
        metadata["ended.by"] = reason.map { "\($0.party.rawValue)" }
        metadata["link.lasted_ms"] = "\(lasted)"
        metadata["link.rssi"] = rssi.map { "\($0)" }
        metadata["cause"] = detail.map { "\($0)" }
        metadata["during"] = during.map { "\($0)" }
        logger.log(level: reason?.party == .gateway ? level(of: sensor) : .info, "link ended", metadata: metadata)
        sensor.record.ended()
        sensor.readings.linkEnded()
    }

    /// Why a link ended, or was not made. A nil error means that this gateway ended the link.
    func linkEnd(_ error: (any Error)?) -> LinkEndReason? {
        guard let error else { return .localHostTerminated }
        return (error as? CBError)?.linkEnd
    }

    // MARK: Sightings

    /// A scan reported the sensor.
    func recordSighting(of sensor: SensorSource, rssi strength: Int) {
        recordSighting(of: sensor, rssi: strength, at: uptime)
    }

    /// - Parameter now: Milliseconds since boot.
    func recordSighting(of sensor: SensorSource, rssi strength: Int, at now: Int64) {
        let isNews = !sensor.hasLink && sensor.signal.isQuiet(at: now) { lastHeard(sensor) }
        let time = self.now
        sensor.signal.sighted(strength, at: now, time)
        reportSignal(of: sensor, at: time)
        if let sensor = sensor as? LinkedSensor, sensor.turn.misses > 0, sensor.link == .queued {
            sensor.turn.heard(at: now)
            shareSlots()
        }
        guard isNews else { return }
        let rssi = sensor.signal.rssi
        record(.heard, of: sensor) { $0.rssi = rssi.map(Int.init) }
    }

    /// The time of the last sign of the sensor, in milliseconds since boot.
    func lastHeard(_ sensor: SensorSource) -> Int64? {
        let ended = sensor.events.last(.linkEnded)?.uptimeMs
        return [sensor.signal.heardAt, ended, sensor.lastValue].compactMap { $0 }.max()
    }

    // MARK: Silence

    /// Called when the sensor's values are on their way.
    func watchForSilence(of sensor: LinkedSensor) {
        guard !sensor.rule.subscribe.isEmpty || sensor.plan.hasPolls else { return }
        // One whose link is closed after each poll has none that could be silent.
        if !sensor.plan.closesLink {
            sensor.readings.begin(at: uptime)
        }
        if rounds.begin(at: now) { rearm() }
    }

    /// Judges each sensor with a link, and measures its signal. After the loss of a link, a measurement is too late.
    func lookForSilence() {
        let collecting = linked.values.filter { $0.link == .collecting }
        let isNeeded =
            !collecting.isEmpty || !places.addresses.isEmpty
            || linked.values.contains { $0.plan.hasPolls || Self.isOpen($0.rule) }
        keepEvents(of: sources)
        rounds.next(isNeeded: isNeeded || rounds.keeping.isWaiting, at: now)
        lookAtListened()
        recordRadio()
        if linked.values.contains(where: isAway) { scanIfNeeded() }
        for sensor in collecting {
            look(at: sensor)
            renewIfQuiet(sensor)
            sensor.peripheral.readRSSI()
            lookAtPace(of: sensor)
        }
        judgeAll()
    }

    /// Learns the usual interval of a sensor, and whether its link brings what it should.
    func look(at sensor: SensorSource) {
        let change = sensor.readings.look(at: uptime, lastValue: sensor.lastValue, limits: limits.silence)
        guard let sensor = sensor as? LinkedSensor else { return }
        switch change {
        case .silent: checkSubscriptions(of: sensor)
        case .speaking: sensor.upkeep.quiet.reset()
        case nil: break
        }
    }

    package func peripheral(_ peripheral: CBPeripheral, didReadRSSI RSSI: NSNumber, error: (any Error)?) {
        let strength = RSSI.intValue
        guard error == nil, strength != 127, let sensor = linked[peripheral.identifier], sensor.hasLink else { return }
        sensor.record.measured(Int8(clamping: strength))
        reportSignal(of: sensor)
    }

    // MARK: Histories that outlive a sensor

    /// `martlet why` also answers for removed sensors. A candidate that never answered has no history.
    func keepHistory(of sensor: SensorSource) {
        guard (sensor as? LinkedSensor)?.record.wasSetUp == true || sensor.life.isProven else { return }
        departed.keep(sensor)
    }

    /// The sensor is back, under its identifier or the id of its entry; or it is there for the first time in this run.
    func takeUpHistory(of sensor: SensorSource) {
        if let events = departed.takeEvents(of: sensor) { sensor.events.takeUp(events) }
        resumeEvents(of: sensor)
    }
}
