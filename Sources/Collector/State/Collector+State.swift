// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import CoreBluetooth
import Dispatch
import Logging
import Readings

/// The one place where the states of sensors are computed.
extension Collector {
    /// Judges every sensor; to be called before somebody is told of states. Sets the time of the next look.
    func judgeAll() {
        let now = uptime
        let health = controller.health
        rounds.outage.look(
            isWorking: manager?.state == .poweredOn && health.trouble == nil, hearing: health.signs, at: now,
            limits.silence)
        rounds.hearing.look(heardAt: health.lastAdvertMs, at: now, limits.silence)
        var next = rounds.outage.nextChange(after: now, limits.silence)
        for sensor in sources where !sensor.life.isRemoved {
            let facts = judge(sensor, at: now, health)
            if let change = sensor.standing.nextChange(facts, after: now, limits.silence) {
                next = min(next ?? change, change)
            }
        }
        let pause = next.map { max(Self.shortestJudgement, $0.subtractingSaturated(now)) }
        rounds.judge(after: pause, isNeeded: !linked.isEmpty || !places.addresses.isEmpty, at: self.now)
        rearm()
    }

    /// Milliseconds between two looks at all states, at least: whoever asks has a look of their own.
    private static let shortestJudgement: Int64 = 1_000

    var sources: [SensorSource] { Array(linked.values) + Array(listened.values) }

    /// Judges one sensor, and tells of changes.
    ///
    /// - Parameter health: The radio's state; nil for the present state.
    @discardableResult
    func judge(_ sensor: SensorSource, at now: Int64, _ health: RadioHealth? = nil) -> SensorFacts {
        if let linked = sensor as? LinkedSensor { linked.standing.recordLink(isSought: linked.isSought, at: now) }
        let facts = facts(of: sensor, at: now, health ?? controller.health)
        let change = sensor.standing.update(facts, at: now, limits.silence)
        if !sensor.standing.isPresentHere { announce(sensor, isOnline: false) }
        if let change { tell(change, of: sensor, facts) }
        return facts
    }

    /// Tells that a sensor is online, where its values are those of the present.
    func appear(_ sensor: SensorSource, at now: Int64) {
        judge(sensor, at: now)
        if sensor.standing.isPresentHere { announce(sensor, isOnline: true) }
    }

    func facts(of sensor: SensorSource, at now: Int64, _ health: RadioHealth) -> SensorFacts {
        // A beginning that is not known is the first look.
        let looked = sensor.standing.state == .neverHeard ? sensor.standing.since : nil
        var facts = SensorFacts(began: sensor.life.began ?? looked ?? now)
        (facts.lastValue, facts.usual) = (sensor.lastValue, sensor.readings.usualMs)
        facts.silentAfter = sensor.rule.silentAfter?.wholeMilliseconds
        facts.isElsewhere = owners[sensor.device] != nil
        facts.radio = rounds.outage.fact(at: now, limits.silence)
        facts.pauses = rounds.outage.pauses(at: now, limits.silence)
        // Packets of other links do not show that the radio hears a sensor without a link.
        let isLinked = (sensor as? LinkedSensor).map { !$0.isSought } ?? false
        facts.heardAt = health.signs.last(isLinked: isLinked)
        let wasLinked = isLinked && !sensor.standing.wasSought
        facts.deafness = rounds.outage.deafness(isLinked: wasLinked, at: now, limits.silence)
        if let sensor = sensor as? ListenedSensor {
            (facts.unreadAt, facts.isRefused) = (sensor.unreadableAt, refusesToScan)
            facts.speaksOfEvents = sensor.life.isProven && sensor.sendsEventsOnly
        } else if let sensor = sensor as? LinkedSensor {
            if sensor.link == .elsewhere { facts.isElsewhere = true }
            let turn = slots.shortage == nil ? nil : max(sensor.turn.period ?? 0, 60_000)
            facts.pace = [turn, sensor.plan.linkInterval].compactMap { $0 }.max()
                .map { max($0, sensor.wantedInterval ?? 0) }
        }
        return facts
    }

    private func tell(_ change: SensorStanding.Change, of sensor: SensorSource, _ facts: SensorFacts) {
        guard let quiet = change.quietMs else { return }
        let metadata = sensor.metadata.merging(["silent.for_ms": "\(quiet)"]) { $1 }
        switch change.to {
        case .silent, .notUnderstood:
            record(.silent, of: sensor) { ($0.lastedMs, $0.usualMs) = (quiet, facts.pace ?? facts.usual) }
            logger.warning("no values", metadata: metadata)
        case .fresh, .late:
            guard !change.from.isPresent, change.from != .elsewhere, change.from != .neverHeard else { return }
            record(.speaking, of: sensor) { $0.lastedMs = quiet }
            logger.notice("values again", metadata: metadata)
        case .neverHeard, .elsewhere, .unknown, .off: break
        }
    }
}

extension RadioHealth {
    fileprivate var signs: RadioOutage.Signs { RadioOutage.Signs(advert: lastAdvertMs, link: lastLinkMs) }
}

extension LinkedSensor {
    /// A link is wanted now, and there is none that brings values.
    fileprivate var isSought: Bool {
        switch link {
        case .connecting, .settingUp, .waiting, .disconnecting: true
        case .collecting, .resting, .queued, .unavailable, .listening, .elsewhere: false
        }
    }
}
