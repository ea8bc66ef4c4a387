// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import CoreBluetooth
import Dispatch
import Health
import Logging
import Platform
import Readings

/// The set-up of a link, and the steps after a failed set-up.
extension Collector {
    /// Subscriptions are declared, not remembered: each link is set up from the rule.
    func beginSetUp(_ sensor: LinkedSensor) {
        logger.log(level: level(of: sensor), "setting up", metadata: sensor.metadata)
        sensor.feeds.setUpBegins()
        sensor.upkeep.quest.linkEnded(byUs: true, at: uptime)
        sensor.upkeep.commands.setUp()
        sensor.phase.settingUp(until: now + Self.setUpLimit)
        sensor.record.setUpBegan()
        sensor.plan.setUpBegan(at: uptime)
        if sensor.life.isProven { describe(sensor) }
        rearm()
        // A person waits to pair with the sensor. The pairing comes first.
        if sensor.pairing.dialogue != nil, !sensor.pairing.isUnderway {
            beginPairing(sensor)
            return
        }
        guard showsItsPasskey(sensor), maySetUp(sensor) else { return }
        let machine = SetUpMachine(
            reads: sensor.rule.read, subscriptions: sensor.rule.subscribe,
            extras: wantedExtras(of: sensor), takesAnyService: sensor.rule.profile != nil)
        perform(sensor.begin(machine), on: sensor)
    }

    /// The passkey of an entry proves the right sensor. A sensor without this proof is paired first, or let go. The
    /// host encrypts the link with the bond's key before it asks for values.
    private func showsItsPasskey(_ sensor: LinkedSensor) -> Bool {
        guard sensor.rule.passkey != nil else { return true }
        if let bond = bond(of: sensor) {
            guard !bond.isAuthenticated else { return true }
            sensor.trouble.record(
                advise(
                    "the sensor is paired, but not with its passkey: run \(.martlet(.unpair, sensor.device)), then "
                        + "\(.martlet(.pair, sensor.device))"))
            giveUp(sensor, reason: "the sensor is paired, but not with its passkey")
        } else if mayPairByItself(sensor), sensor.pairing.isDue(at: now) {
            beginPairing(sensor)
        } else {
            giveUp(sensor, reason: "the sensor is not paired with its passkey")
        }
        return false
    }

    /// Runs the machine with an input, and carries out the machine's effects.
    func advance(_ sensor: LinkedSensor, _ input: (inout SetUpMachine) -> [SetUpMachine.Effect]) {
        perform(sensor.advance(input), on: sensor)
    }

    private func perform(_ effects: [SetUpMachine.Effect], on sensor: LinkedSensor) {
        let peripheral = sensor.peripheral
        var numbered: [String] = []
        for effect in effects {
            switch effect {
            case .discoverServices(let services):
                peripheral.discoverServices(services.map { CBUUID($0) })
            case .discoverCharacteristics(let characteristics, let index):
                guard let services = peripheral.services, services.indices.contains(index) else { continue }
                peripheral.discoverCharacteristics(characteristics.map { CBUUID($0) }, for: services[index])
            case .discoverAllServices:
                peripheral.discoverServices(nil)
            case .discoverAllCharacteristics(let index):
                guard let services = peripheral.services, services.indices.contains(index) else { continue }
                peripheral.discoverCharacteristics(nil, for: services[index])
            case .number(let token, let instance):
                guard let feed = sensor.feeds[token] else { continue }
                feed.number(instance)
                numbered.append(feed.uuid)
            case .place(let token, let instance): sensor.feeds[token]?.place(instance)
            case .leaveOut(let token): sensor.feeds[token]?.leaveOut()
            case .read(let token):
                guard let feed = sensor.feeds[token] else { continue }
                feed.reads.asked()
                peripheral.readValue(for: feed.characteristic)
            case .readInstead(let token):
                sensor.feeds[token]?.readInstead()
                sensor.plan.readInstead(sensor.rule, at: uptime)
            case .subscribe(let token):
                sensor.feeds[token].map { peripheral.setNotifyValue(true, for: $0.characteristic) }
            case .succeeded(let missing):
                succeed(sensor, missing: missing)
            case .failed(let reason):
                giveUp(sensor, reason: reason)
            }
        }
        tell(numbered, of: sensor)
    }

    /// Tells once per sensor and start the names of values whose characteristics have equal UUIDs.
    private func tell(_ numbered: [String], of sensor: LinkedSensor) {
        guard sensor.plan.named(numbered) else { return }
        logger.warning(
            "a sensor repeats a UUID: each value has a name now; earlier versions mixed the values",
            metadata: sensor.metadata.merging(["names": "\(numbered.joined(separator: ", "))"]) { $1 })
    }

    private func succeed(_ sensor: LinkedSensor, missing values: [String]) {
        sensor.endSetUp()
        let missing = values + missingCommands(of: sensor)
        guard prove(sensor) else {
            remove(sensor, because: "there are too many sensors")
            return
        }
        dropFormerFeeds(of: sensor)
        recallUnprovenBond(of: sensor)
        if missing.isEmpty { recordUnpaired(sensor) }
        sensor.phase.collecting()
        sensor.record.setUpSucceeded()
        sensor.trouble.setUpSucceeded(isComplete: missing.isEmpty)
        if sensor.plan.recordMissing(missing) {
            logger.warning(
                "the sensor lacks a value of its entry",
                metadata: sensor.metadata.merging(["missing": "\(missing.joined(separator: "; "))"]) { $1 })
        }
        // A link alone makes no sensor present: its next value does.
        appear(sensor, at: uptime)
        manager?.makeOwnRequests(on: sensor.peripheral)
        askForInformation(sensor)
        lookAtPeculiarities(of: sensor)
        beginRecords(of: sensor)
        beginCommands(of: sensor)
        record(.collecting, of: sensor, Self.detail(of: sensor, without: missing))
        watchForSilence(of: sensor)
        logger.log(
            level: level(of: sensor), "collecting",
            metadata: sensor.metadata.merging(["feeds": "\(sensor.feeds.current.count)"]) { $1 })
        shareSlots()
        endScanHold()
        if sensor.plan.hasPolls { beginPolls(of: sensor) }
    }

    /// The peculiarities of a set-up, for the events of the sensor; nil without peculiarities.
    private static func detail(of sensor: LinkedSensor, without missing: [String]) -> String? {
        let numbered = sensor.plan.numbered
        let parts = [
            numbered.isEmpty
                ? nil : "a UUID is repeated; numbers in the names: \(numbered.joined(separator: ", "))",
            missing.isEmpty ? nil : "without: " + missing.joined(separator: "; "),
        ].compactMap { $0 }
        return parts.isEmpty ? nil : parts.joined(separator: "; ")
    }

    /// The link is useless: ends it, for another attempt after a pause.
    func giveUp(_ sensor: LinkedSensor, reason: String) {
        fail(sensor, reason: reason)
        lookAtPeculiarities(of: sensor)
        dropLink(sensor)
    }

    /// Ends the link; the next link comes after a pause.
    func dropLink(_ sensor: LinkedSensor) {
        endLink(sensor)
        sensor.phase.disconnecting(until: now + Self.disconnectLimit)
        rearm()
        manager?.cancelPeripheralConnection(sensor.peripheral)
    }

    func fail(_ sensor: LinkedSensor, reason: String) {
        sensor.trouble.failed(reason)
        sensor.record.willEnd(because: "its set-up failed")
        record(.setUpFailed, of: sensor, reason)
        logger.warning("set-up failed", metadata: sensor.metadata.merging(["cause": "\(reason)"]) { $1 })
    }

    func retryLater(_ sensor: LinkedSensor) {
        wait(sensor.record.nextPause(spread: loop.spread()), for: sensor)
    }

    /// The next attempt comes after a pause.
    func wait(_ pause: Duration, for sensor: LinkedSensor) {
        // A retry without a controller would fail, and no other retry would follow. A controller that comes back gets
        // all requests.
        guard !isStopping, manager?.state == .poweredOn else {
            sensor.phase.lost()
            return
        }
        sensor.phase.waiting(until: now + .milliseconds(Int(pause.wholeMilliseconds)))
        record(.waiting, of: sensor) { $0.waitMs = pause.wholeMilliseconds }
        rearm()
    }

    /// Forgets the state of an ended link.
    func endLink(_ sensor: LinkedSensor) {
        sensor.endSetUp()
        sensor.upkeep.linkEnded()
        forgetPairing(sensor)
        // The sensor's address may have changed by now, and its rule has to be open for the new address.
        if sensor.pairing.isStranger { sensor.life.doubt() }
        sensor.feeds.linkEnded()
    }

    /// Forgets the characteristics of an earlier set-up.
    func dropFormerFeeds(of sensor: LinkedSensor) {
        for former in sensor.feeds.dropFormer() {
            let key = ObjectIdentifier(former.characteristic)
            if feeds[key] === former { feeds[key] = nil }
        }
        sensor.entry.keep(sensor.feeds.current.map(\.uuid))
    }

    // A single timer for all sensors, set to the nearest deadline.

    func rearm() {
        var nearest =
            [scan.deadline, rounds.deadline, rounds.judgement, slots.deadline].compactMap(\.self).min()
            ?? .distantFuture
        for sensor in linked.values {
            if let deadline = sensor.deadline, deadline < nearest { nearest = deadline }
            if let deadline = sensor.upkeep.deadline, deadline < nearest { nearest = deadline }
        }
        loop.wake(at: nearest)
    }

    func deadlinesPassed() {
        let now = self.now
        for sensor in linked.values {
            if let deadline = sensor.upkeep.indications.deadline, deadline <= now { giveUpIndication(of: sensor) }
            if let deadline = sensor.upkeep.commands.deadline, deadline <= now { writeCommands(to: sensor) }
            guard sensor.phase.takeDeadline(at: now) else { continue }
            switch sensor.link {
            case .settingUp where sensor.pairing.dialogue != nil:
                // People take their time, and have a time limit of their own.
                sensor.phase.prolongSetUp(until: now + Self.setUpLimit)
            case .settingUp:
                giveUp(sensor, reason: "not set up after 60 s")
            case .waiting, .disconnecting:
                connect(sensor, step: "retry")
            case .resting:
                connect(sensor, step: "poll")
            case .collecting:
                poll(sensor)
            case .connecting, .unavailable, .listening, .elsewhere, .queued:
                break
            }
        }
        if scan.isHoldOver(at: now) { endScanHold(force: true) }
        if slots.takeDeadline(at: now) { shareSlots() }
        if let deadline = rounds.deadline, deadline <= now { lookForSilence() }
        if rounds.isJudgementDue(at: now) { judgeAll() }
        if scan.takeRenewal(at: now) {
            // A scan without a purpose is stopped; a scan with a purpose begins anew.
            let isNeeded = scan.isAsked(at: now) || rules.contains { canMatchMore($0) || mayBeClaimed($0) }
            if isNeeded { scan.interrupt() }
            scanIfNeeded()
        }
        rearm()
    }
}
