// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import CoreBluetooth
import Dispatch
import Logging
import Platform
import Readings

/// Setting up a link, and what to do when that fails.
extension Collector {
    /// Subscriptions are declared, not remembered: each link is set up from the rule.
    func beginSetUp(_ sensor: LinkedSensor) {
        logger.log(level: level(of: sensor), "setting up", metadata: sensor.metadata)
        sensor.formerFeeds += sensor.feeds
        sensor.feeds = []
        sensor.quest.linkEnded(byUs: true, at: clock.stamp().uptimeMilliseconds)
        sensor.link = .settingUp
        sensor.wasConnected = true
        sensor.polls?.began(at: clock.stamp().uptimeMilliseconds)
        if sensor.isProven { describe(sensor) }
        sensor.deadline = .now() + Self.setUpLimit
        rearm()
        // Somebody waits to pair with it, which comes first.
        if sensor.dialogue != nil, sensor.pairing == nil {
            beginPairing(sensor)
            return
        }
        guard showsItsPasskey(sensor), maySetUp(sensor) else { return }
        let machine = SetUpMachine(
            reads: sensor.rule.read, subscriptions: sensor.rule.subscribe,
            extras: wantedControlPoints(of: sensor), takesAnyService: sensor.rule.profile != nil)
        sensor.setUp = machine
        perform(machine.begin(), on: sensor)
    }

    /// A passkey in its entry shows which sensor is the right one: whoever has not shown it is paired with first, or let
    /// go. That the link then is encrypted with the key of the bond, values are asked about by the host.
    private func showsItsPasskey(_ sensor: LinkedSensor) -> Bool {
        guard sensor.rule.passkey != nil else { return true }
        if let bond = bond(of: sensor) {
            guard !bond.isAuthenticated else { return true }
            sensor.trouble =
                "it is paired, but not with its passkey: run martlet unpair \(sensor.device), then martlet pair "
                + "\(sensor.device)"
            giveUp(sensor, reason: "it is paired, but not with its passkey")
        } else if mayPairByItself(sensor), DispatchTime.now() >= sensor.nextPairing {
            beginPairing(sensor)
        } else {
            giveUp(sensor, reason: "it is not paired with its passkey")
        }
        return false
    }

    /// Runs the machine with one input and carries out what it asks for.
    func advance(_ sensor: LinkedSensor, _ input: (inout SetUpMachine) -> [SetUpMachine.Effect]) {
        guard var machine = sensor.setUp else { return }
        let effects = input(&machine)
        sensor.setUp = machine
        perform(effects, on: sensor)
    }

    private func perform(_ effects: [SetUpMachine.Effect], on sensor: LinkedSensor) {
        let peripheral = sensor.peripheral
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
                sensor.feeds[token].uuid = CharacteristicInstance.name(of: sensor.feeds[token].uuid, number: instance)
            case .place(let token, let instance): sensor.feeds[token].instance = instance
            case .leaveOut(let token): (sensor.feeds[token].isCollected, sensor.feeds[token].isPolled) = (false, false)
            case .read(let token):
                sensor.feeds[token].reads.asked()
                peripheral.readValue(for: sensor.feeds[token].characteristic)
            case .subscribe(let token):
                peripheral.setNotifyValue(true, for: sensor.feeds[token].characteristic)
            case .succeeded(let missing):
                succeed(sensor, missing: missing)
            case .failed(let reason):
                giveUp(sensor, reason: reason)
            }
        }
    }

    private func succeed(_ sensor: LinkedSensor, missing: [String]) {
        sensor.setUp = nil
        guard prove(sensor) else {
            remove(sensor, because: "there are too many sensors")
            return
        }
        dropFormerFeeds(of: sensor)
        if sensor.unprovenBond == nil { sensor.unprovenBond = keptUnprovenBond(of: sensor) }
        if missing.isEmpty { noteUnpaired(sensor) }
        sensor.link = .collecting
        sensor.deadline = nil
        sensor.backoff.reset()
        sensor.lastFailure = nil
        if missing.isEmpty { sensor.trouble = nil }
        if !missing.isEmpty, missing != sensor.missing {
            logger.warning(
                "sensor lacks something that was asked for",
                metadata: sensor.metadata.merging(["missing": "\(missing.joined(separator: "; "))"]) { $1 })
        }
        sensor.missing = missing
        announce(sensor, isOnline: true)
        manager?.makeOwnRequests(on: sensor.peripheral)
        askForInformation(sensor)
        lookAtPeculiarities(of: sensor)
        beginRecords(of: sensor)
        note(.collecting, of: sensor, missing.isEmpty ? nil : "without: " + missing.joined(separator: "; "))
        watchForSilence(of: sensor)
        logger.log(
            level: level(of: sensor), "collecting",
            metadata: sensor.metadata.merging(["feeds": "\(sensor.feeds.count)"]) { $1 })
        shareSlots()
        endScanHold()
        if sensor.polls != nil { beginPolls(of: sensor) }
    }

    /// The link is of no use: ends it, to try again after a pause.
    func giveUp(_ sensor: LinkedSensor, reason: String) {
        fail(sensor, reason: reason)
        lookAtPeculiarities(of: sensor)
        dropLink(sensor)
    }

    /// Ends the link; the next one comes after a pause.
    func dropLink(_ sensor: LinkedSensor) {
        endLink(sensor)
        sensor.link = .disconnecting
        sensor.deadline = .now() + Self.disconnectLimit
        rearm()
        manager?.cancelPeripheralConnection(sensor.peripheral)
    }

    func fail(_ sensor: LinkedSensor, reason: String) {
        sensor.lastFailure = reason
        sensor.endCause = "its set-up failed"
        note(.setUpFailed, of: sensor, reason)
        logger.warning("set-up failed", metadata: sensor.metadata.merging(["cause": "\(reason)"]) { $1 })
    }

    func retryLater(_ sensor: LinkedSensor) {
        wait(sensor.backoff.wait(spread: .random(in: 0.8...1.2)), for: sensor)
    }

    /// The next try comes after a pause.
    func wait(_ pause: Duration, for sensor: LinkedSensor) {
        // Without a controller the retry would find none, and nobody would try again. When it is back it is asked for all.
        guard !isStopping, manager?.state == .poweredOn else {
            sensor.link = .unavailable
            sensor.deadline = nil
            return
        }
        sensor.link = .waiting
        note(.waiting, of: sensor) { $0.waitMs = pause.wholeMilliseconds }
        sensor.deadline = .now() + .milliseconds(Int(pause.wholeMilliseconds))
        rearm()
    }

    /// Forgets what belonged to a link that is gone.
    func endLink(_ sensor: LinkedSensor) {
        sensor.setUp = nil
        sensor.held = nil
        sensor.quiet = .isFine
        forgetPairing(sensor)
        // Its address may be another one by now, for which its rule has to be open.
        if sensor.isStranger { sensor.isProven = false }
        for feed in sensor.feeds + sensor.formerFeeds { feed.reads = ReadTally() }
        if !outlastsLink(sensor) { announce(sensor, isOnline: false) }
    }

    /// Forgets the characteristics of an earlier set-up. They are kept until the next one is done: values may still be
    /// on their way when services change or a rule does.
    func dropFormerFeeds(of sensor: LinkedSensor) {
        for former in sensor.formerFeeds {
            let key = ObjectIdentifier(former.characteristic)
            if feeds[key] === former { feeds[key] = nil }
            guard let last = former.last else { continue }
            sensor.feeds.first { $0.uuid == former.uuid && $0.last == nil }?.last = last
        }
        sensor.formerFeeds = []
    }

    // One timer for all sensors, set to the nearest deadline.

    func rearm() {
        var nearest = [scanDeadline, scanHold, lookDeadline, slotDeadline].compactMap(\.self).min() ?? .distantFuture
        for sensor in linked.values {
            if let deadline = sensor.deadline, deadline < nearest { nearest = deadline }
            if let held = sensor.held, held.deadline < nearest { nearest = held.deadline }
        }
        armed = nearest
        timer?.schedule(deadline: nearest, leeway: .milliseconds(20))
    }

    func deadlinesPassed() {
        let now = DispatchTime.now()
        for sensor in linked.values {
            if let held = sensor.held, held.deadline <= now { giveUpIndication(of: sensor) }
            guard let deadline = sensor.deadline, deadline <= now else { continue }
            sensor.deadline = nil
            switch sensor.link {
            case .settingUp where sensor.dialogue != nil:
                // People take their time; they have a limit of their own.
                sensor.deadline = .now() + Self.setUpLimit
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
        if let hold = scanHold, hold <= now { endScanHold(force: true) }
        if let deadline = slotDeadline, deadline <= now {
            slotDeadline = nil
            shareSlots()
        }
        if let deadline = lookDeadline, deadline <= now { lookForSilence() }
        if let deadline = scanDeadline, deadline <= now {
            scanDeadline = nil
            // One that nobody needs any more is stopped, else it begins anew.
            let isNeeded = now < askedUntil || rules.contains { canMatchMore($0) || mayBeClaimed($0) }
            if isNeeded { isScanning = false }
            scanIfNeeded()
        }
        rearm()
    }
}
