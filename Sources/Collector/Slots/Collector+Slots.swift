// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import CoreBluetooth
import Dispatch
import Foundation
import Logging
import Platform
import Readings

/// Sensors beyond the controller's links, and their turns.
extension Collector {
    /// Requests a link to the sensor, at once or at its turn.
    func queueUp(_ sensor: LinkedSensor, step: String) {
        sensor.phase.queued()
        sensor.turn.wait(for: step)
        shareSlots()
    }

    /// A connection failed because the controller bears no further link. False if the controller has fewer links than
    /// it is known to bear: the failure is then a fault, and no reason for an immediate retry.
    func refusedSlot(of sensor: LinkedSensor) -> Bool {
        let known = controller.slots
        guard let limit = known.limit, known.used >= limit else { return false }
        sensor.turn.refused()
        slots.refused(at: uptime)
        sensor.phase.queued()
        sensor.turn.wait(for: "retry")
        shareSlots()
        return true
    }

    /// A turn is over, for any reason.
    func endTurn(of sensor: LinkedSensor) {
        let now = uptime
        sensor.turn.ended(interval: sensor.wantedInterval, at: now)
        if !sensor.life.isProven, !sensor.record.hasAnswered { sensor.turn.wasMute(at: now, limits: limits.slots) }
    }

    /// Decides once about all changes of this wake-up.
    func shareSlots() {
        guard slots.request() else { return }
        queue.async { [self] in
            slots.begin()
            shareSlotsNow()
        }
    }

    private func shareSlotsNow() {
        guard let manager, manager.state == .poweredOn, !isStopping else { return }
        let now = uptime
        let claims = linked.values.compactMap { claim(of: $0) }
        var links = Int.max
        var areShared = false
        let known = controller.slots
        if let limit = known.limit {
            let bearable = SlotSchedule.links(ofLimit: limit, used: known.used, claims: claims)
            areShared = bearable < limit
            links = slots.links(known: bearable, claims: claims.count, at: now)
        }
        let schedule = SlotSchedule(claims, links: links, limits: limits.slots, at: now)
        let resting = linked.values.count { $0.link == .resting && !$0.hasLink }
        tell(slots.record(claims: claims.count, resting: resting, links: links))
        for key in schedule.pass { if let sensor = linked[key] { pass(sensor, at: now) } }
        for key in schedule.ask {
            guard let sensor = linked[key] else { continue }
            ask(for: sensor, step: sensor.turn.takeStep())
        }
        for key in schedule.end { if let sensor = linked[key] { takeLink(of: sensor) } }
        // Links of other devices, like phones, end without an event for the collector.
        var again: Int64?
        if areShared, schedule.isShort {
            if schedule.isWaiting { controller.makeRoom(idleFor: .milliseconds(limits.slots.idleTime)) }
            again = now.addingSaturated(limits.slots.foreignPace)
        }
        let next = [schedule.next, again].compactMap(\.self).min()
        slots.look(at: next.map { self.now + .milliseconds(Int(clamping: max(0, $0 - now))) })
        rearm()
    }

    private func takeLink(of sensor: LinkedSensor) {
        // A set-up in progress must not continue.
        endLink(sensor)
        sensor.phase.queued()
        sensor.turn.wait(for: "turn")
        sensor.record.willEnd(because: slots.shortage.map { "its turn is over: \($0.words)" })
        manager?.cancelPeripheralConnection(sensor.peripheral)
    }

    /// The sensor did not come in its turn.
    private func pass(_ sensor: LinkedSensor, at now: Int64) {
        sensor.turn.missed(at: now, limits: limits.slots)
        sensor.phase.queued()
        manager?.cancelPeripheralConnection(sensor.peripheral)
        shareSlots()
    }

    private func claim(of sensor: LinkedSensor) -> SlotClaim? {
        let phase: SlotClaim.Phase
        switch sensor.link {
        case .unavailable, .listening, .elsewhere, .waiting, .resting, .disconnecting:
            guard sensor.hasLink else { return nil }
            phase = .ending
        case .queued: phase = sensor.hasLink ? .ending : .waiting
        case .connecting: phase = .asked(since: sensor.turn.askedAt ?? uptime)
        case .settingUp, .collecting:
            let began = sensor.record.since ?? 0
            phase = .linked(
                since: began, isServed: sensor.link == .collecting && sensor.feeds.areServed(since: began),
                isBusy: isBusy(sensor))
        }
        return SlotClaim(
            key: sensor.candidate.identifier, phase: phase,
            due: sensor.pairing.dialogue == nil ? sensor.turn.due : .min,
            interval: sensor.wantedInterval, isMissed: sensor.turn.misses > 0, isOvertaken: sensor.turn.isOvertaken,
            isCandidate: !sensor.life.isProven, isMute: !sensor.record.hasAnswered, order: sensor.life.order)
    }

    /// A person or a task besides values needs the link. A link that is closed after its poll ends by itself.
    private func isBusy(_ sensor: LinkedSensor) -> Bool {
        sensor.pairing.dialogue != nil || sensor.pairing.isUnderway || sensor.upkeep.isBusy || sensor.plan.closesLink
    }

    private func tell(_ change: SlotShare.Change?) {
        switch change {
        case .began(let shortage):
            logger.warning(
                "more sensors want a link than the controller bears: they take turns",
                metadata: ["sensors": "\(shortage.sensors)", "links": "\(shortage.links)"])
        case .ended:
            for sensor in linked.values { sensor.turn.forgetPeriod() }
            logger.notice("there are links for all sensors again")
        case nil: break
        }
    }

    /// The log level of messages that repeat with every turn.
    func level(of sensor: LinkedSensor) -> Logger.Level { slots.shortage == nil ? .info : .debug }
}
