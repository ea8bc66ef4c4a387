// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import CoreBluetooth
import Dispatch
import Foundation
import Logging
import Platform
import Readings

/// What happens to sensors is written down twice: a line in the log, and an event that `martlet why` answers from. Both are
/// about links, tries and pairings; a value makes neither.
extension Collector {
    /// Of what is nothing but an advertisement yet: there may be many.
    static let maximumCandidateEvents = 16
    /// A scan that tells of a sensor again after so long is an event, in milliseconds.
    static let heardPause: Int64 = 600_000

    func note(
        _ kind: SensorEvent.Kind, of sensor: SensorSource, _ detail: String? = nil,
        _ change: (inout SensorEvent) -> Void = { _ in }
    ) {
        let stamp = clock.stamp()
        var event = SensorEvent(
            kind, uptimeMs: stamp.uptimeMilliseconds, unixMs: stamp.unixMilliseconds, detail: detail)
        event.link = (sensor as? LinkedSensor)?.record.number
        change(&event)
        let limit = SensorEvents.limit(sensors: linked.count + listened.count)
        sensor.events.record(event, limit: sensor.isProven ? limit : min(limit, Self.maximumCandidateEvents))
    }

    // MARK: Links

    func noteLink(of sensor: LinkedSensor) {
        sensor.record.began(sensor.peripheral.linkNumber, at: uptime)
        note(.connected, of: sensor)
    }

    /// Every end of a link is told once, here; of a wish for a link that is taken back, there is nothing to tell.
    func noteEnd(of sensor: LinkedSensor, _ reason: LinkEndReason?, _ error: (any Error)? = nil) {
        guard let since = sensor.record.since else { return }
        let lasted = max(0, uptime.subtractingSaturated(since))
        // A link that we gave up may be gone for another reason by the time we say so.
        let cause = isStopping ? "the gateway is stopping" : sensor.record.endCause
        let detail = reason?.party == .gateway ? cause : reason == nil ? error.map(describe) : nil
        let rssi = sensor.strength
        note(.linkEnded, of: sensor, detail) { event in
            (event.reason, event.endedBy, event.lastedMs) = (reason, reason?.party, lasted)
            event.rssi = rssi.map(Int.init)
        }
        var metadata = sensor.metadata
        metadata["reason"] = "\(reason.map(String.init(describing:)) ?? error.map(describe) ?? "unknown")"
        metadata["ended.by"] = reason.map { "\($0.party.rawValue)" }
        metadata["link.lasted_ms"] = "\(lasted)"
        metadata["link.rssi"] = rssi.map { "\($0)" }
        metadata["cause"] = detail.map { "\($0)" }
        logger.log(level: reason?.party == .gateway ? level(of: sensor) : .info, "link ended", metadata: metadata)
        sensor.record.ended()
        sensor.silence.ended()
    }

    /// Why a link ended, or did not come about. We end a link without an error.
    func linkEnd(_ error: (any Error)?) -> LinkEndReason? {
        guard let error else { return .localHostTerminated }
        return (error as? CBError)?.linkEnd
    }

    // MARK: Sightings

    /// A scan told of it.
    func noteSighting(of sensor: SensorSource, rssi strength: Int) {
        if strength != 127 { sensor.rssi = Int8(clamping: strength) }
        let now = uptime
        let isNews = !sensor.hasLink && lastHeard(sensor).map { now - $0 >= Self.heardPause } ?? true
        sensor.heardAt = self.now
        sensor.heardUptime = now
        tellSignal(of: sensor)
        if let sensor = sensor as? LinkedSensor, sensor.turn.misses > 0, sensor.link == .queued {
            sensor.turn.heard(at: now)
            shareSlots()
        }
        guard isNews else { return }
        let rssi = sensor.rssi
        note(.heard, of: sensor) { $0.rssi = rssi.map(Int.init) }
    }

    /// When anything of it was received, in milliseconds since boot.
    func lastHeard(_ sensor: SensorSource) -> Int64? {
        let ended = sensor.events.last(.linkEnded)?.uptimeMs
        return [sensor.heardUptime, ended, sensor.lastValue].compactMap { $0 }.max()
    }

    // MARK: Silence

    /// To be called when its values are on their way.
    func watchForSilence(of sensor: LinkedSensor) {
        guard !sensor.rule.subscribe.isEmpty || sensor.polls != nil else { return }
        // One whose link is closed after each poll has none that could be silent.
        if sensor.polls?.closesLink != true {
            sensor.silence.began(at: uptime, readings: sensor.readings)
        }
        if rounds.begin(at: now) { rearm() }
    }

    /// Judges each sensor with a link, and asks how strong its signal is: when the link is lost, it is too late for that.
    func lookForSilence() {
        let collecting = linked.values.filter { $0.link == .collecting }
        let isNeeded =
            !collecting.isEmpty || !places.addresses.isEmpty
            || linked.values.contains { $0.polls != nil || Self.isOpen($0.rule) }
        rounds.next(isNeeded: isNeeded, at: now)
        lookAtListened()
        noteRadio()
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
        let change = sensor.silence.look(
            at: uptime, readings: sensor.readings, lastValue: sensor.lastValue, limits: limits.silence)
        guard let sensor = sensor as? LinkedSensor else { return }
        switch change {
        case .silent: checkSubscriptions(of: sensor)
        case .speaking: sensor.quiet.reset()
        case nil: break
        }
    }

    package func peripheral(_ peripheral: CBPeripheral, didReadRSSI RSSI: NSNumber, error: (any Error)?) {
        let strength = RSSI.intValue
        guard error == nil, strength != 127, let sensor = linked[peripheral.identifier], sensor.hasLink else { return }
        sensor.record.measured(Int8(clamping: strength))
        tellSignal(of: sensor)
    }

    // MARK: Histories that outlive a sensor

    /// What happened to a sensor that is gone can still be asked for. Of a candidate that never answered, nothing did.
    func keepHistory(of sensor: SensorSource) {
        guard (sensor as? LinkedSensor)?.record.wasSetUp == true || sensor.isProven else { return }
        departed.keep(sensor)
    }

    /// It is back: by its identifier, or under the id that its entry gives to whatever it accepts.
    func takeUpHistory(of sensor: SensorSource) {
        if let events = departed.takeEvents(of: sensor) { sensor.events = events }
    }
}
