// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import CoreBluetooth
import Dispatch
import Foundation
import Logging
import Platform
import Readings

/// More sensors than the controller bears links, and how they take turns.
extension Collector {
    /// What the controller was taken to bear is tried again after so long: it may have been a moment of want.
    static let slotProbePause: Int64 = 3_600_000

    /// Has the sensor asked for, at once or when it is its turn.
    func queueUp(_ sensor: LinkedSensor, step: String) {
        sensor.link = .queued
        sensor.queuedStep = step
        sensor.deadline = nil
        shareSlots()
    }

    /// A connection failed since the controller bears no link more than it has. False where it has fewer than it is known to bear:
    /// then that is a fault, and no reason to ask at once again.
    func refusedSlot(of sensor: LinkedSensor) -> Bool {
        let slots = controller.slots
        guard let limit = slots.limit, slots.used >= limit else { return false }
        sensor.turn.refused()
        nextSlotProbe = clock.stamp().uptimeMilliseconds.addingSaturated(Self.slotProbePause)
        sensor.link = .queued
        sensor.queuedStep = "retry"
        sensor.deadline = nil
        shareSlots()
        return true
    }

    /// A turn is over, however its link ended.
    func endTurn(of sensor: LinkedSensor) {
        let now = clock.stamp().uptimeMilliseconds
        sensor.turn.ended(interval: sensor.wantedInterval, at: now)
        if !sensor.isProven, !sensor.hasAnswered { sensor.turn.wasMute(at: now, limits: slotLimits) }
    }

    /// Decides once for all that has changed in this wake-up.
    func shareSlots() {
        guard !isSharePending else { return }
        isSharePending = true
        queue.async { [self] in
            isSharePending = false
            shareSlotsNow()
        }
    }

    private func shareSlotsNow() {
        guard let manager, manager.state == .poweredOn, !isStopping else { return }
        let now = clock.stamp().uptimeMilliseconds
        let claims = linked.values.compactMap { claim(of: $0) }
        var links = Int.max
        let slots = controller.slots
        if let limit = slots.limit {
            links = SlotSchedule.links(ofLimit: limit, used: slots.used, claims: claims)
            if claims.count > links, now >= nextSlotProbe ?? .min, nextSlotProbe != nil { links += 1 }
        }
        let schedule = SlotSchedule(claims, links: links, limits: slotLimits, at: now)
        noteShortage(
            SlotShortage(
                claims: claims.count, resting: linked.values.count { $0.link == .resting && !$0.hasLink }, links: links,
                isKnown: slotShortage != nil))
        for key in schedule.pass { if let sensor = linked[key] { pass(sensor, at: now) } }
        for key in schedule.ask {
            guard let sensor = linked[key] else { continue }
            ask(for: sensor, step: sensor.queuedStep ?? "turn")
            sensor.queuedStep = nil
        }
        for key in schedule.end { if let sensor = linked[key] { takeLink(of: sensor) } }
        slotDeadline = schedule.next.map { .now() + .milliseconds(Int(clamping: max(0, $0 - now))) }
        rearm()
    }

    private func takeLink(of sensor: LinkedSensor) {
        // A set-up that is under way must not go on.
        endLink(sensor)
        sensor.link = .queued
        sensor.queuedStep = "turn"
        sensor.endCause = slotShortage.map { "its turn is over: \($0.words)" }
        manager?.cancelPeripheralConnection(sensor.peripheral)
    }

    /// It did not come while it was its turn.
    private func pass(_ sensor: LinkedSensor, at now: Int64) {
        sensor.turn.missed(at: now, limits: slotLimits)
        sensor.link = .queued
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
        case .connecting: phase = .asked(since: sensor.turn.askedAt ?? clock.stamp().uptimeMilliseconds)
        case .settingUp, .collecting:
            let began = sensor.linkedAt ?? 0
            phase = .linked(since: began, isServed: isServed(sensor, since: began), isBusy: isBusy(sensor))
        }
        return SlotClaim(
            key: sensor.candidate.identifier, phase: phase, due: sensor.dialogue == nil ? sensor.turn.due : .min,
            interval: sensor.wantedInterval, isMissed: sensor.turn.misses > 0, isOvertaken: sensor.turn.isOvertaken,
            isCandidate: !sensor.isProven, isMute: !sensor.hasAnswered, order: sensor.order)
    }

    /// Everything that it is collected for has come on this link.
    private func isServed(_ sensor: LinkedSensor, since began: Int64) -> Bool {
        sensor.link == .collecting
            && sensor.feeds.allSatisfy { feed in
                guard feed.isCollected else { return true }
                return feed.reads.pending == 0 && feed.last.map { $0.stamp.uptimeMilliseconds >= began } ?? false
            }
    }

    /// Somebody or something else than values needs its link; one that is closed after its poll ends by itself.
    private func isBusy(_ sensor: LinkedSensor) -> Bool {
        sensor.dialogue != nil || sensor.pairing != nil || sensor.held != nil || sensor.quiet == .isChecked
            || sensor.polls?.closesLink == true
    }

    private func noteShortage(_ shortage: SlotShortage?) {
        guard shortage != slotShortage else { return }
        let before = slotShortage
        slotShortage = shortage
        guard (before == nil) != (shortage == nil) else { return }
        guard let shortage else {
            for sensor in linked.values { sensor.turn.forgetPeriod() }
            logger.notice("there are links for all sensors again")
            return
        }
        logger.warning(
            "more sensors want a link than the controller bears: they take turns",
            metadata: ["sensors": "\(shortage.sensors)", "links": "\(shortage.links)"])
    }

    /// How loud something is told that comes again with every turn.
    func level(of sensor: LinkedSensor) -> Logger.Level { slotShortage == nil ? .info : .debug }

    /// Whether the end of a link says nothing about the sensor, since it had its turn: its values hold until a good while after its
    /// next one should have come.
    func outlastsTurn(_ sensor: LinkedSensor) -> Bool {
        guard slotShortage != nil, sensor.isAnnounced, !sensor.isRemoved, let last = sensor.lastValue else {
            return false
        }
        let usual = max(sensor.turn.period ?? 0, sensor.wantedInterval ?? 0, 60_000)
        let (limit, overflow) = usual.multipliedReportingOverflow(by: 3)
        return overflow || clock.stamp().uptimeMilliseconds.subtractingSaturated(last) <= limit
    }
}
