// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import CoreBluetooth
import Dispatch
import Foundation
import Health
import Logging
import Platform
import Readings

/// Finds the sensors that the rules accept, keeps links to them, and turns their values into readings.
///
/// A client of Core Bluetooth only. All work happens on a single dispatch queue, and the manager calls its delegates
/// there, too. Values of a wake-up go to the journal together.
///
/// `@unchecked Sendable`: only `queue` touches mutable state; calls from elsewhere hop to `queue`.
package final class Collector: NSObject, @unchecked Sendable {
    /// Limit of sensors that work now, or have worked before. The collector leaves further sensors alone and logs a
    /// warning.
    package static let maximumSensors = 512
    /// A link that does not collect after this time is given up and made again.
    static let setUpLimit = DispatchTimeInterval.seconds(60)
    static let disconnectLimit = DispatchTimeInterval.seconds(10)

    let loop: CollectorLoop
    let clock: any WallClock
    let outlet: CollectorOutlet
    let logger: Logger
    /// Constant; tests lengthen a limit at the start.
    var limits: CollectorLimits
    var settings: CollectorSettings
    var radio: CollectorRadio
    /// By identifier.
    var linked: [UUID: LinkedSensor] = [:]
    var places = ListenedPlaces()
    /// The gateways that take care of sensors instead of this gateway, by the sensors' `<dev>`.
    var owners: [String: String] = [:]
    var feeds: [ObjectIdentifier: CharacteristicFeed] = [:]
    /// The devices that scans have reported, for hints about entries without a sensor.
    var heard = HeardDevices()
    var departed = DepartedSensors()
    var batch = ReadingBatch()
    var scan = ScanPlan()
    var slots = SlotShare()
    var rounds = SensorRounds()
    var crowd = CandidateCrowd()
    var restraint = PairingRestraint()
    var life = CollectorLife()

    /// The table of sensors with their newest values. The collector alone writes it.
    package var sensors: SensorTable { outlet.sensors }
    var queue: DispatchQueue { loop.queue }
    var now: DispatchTime { loop.now }
    /// Milliseconds since boot.
    var uptime: Int64 { clock.stamp().uptimeMilliseconds }
    var controller: CBController { radio.controller }
    var manager: CBCentralManager? { radio.manager }
    var rules: [SensorRule] { settings.rules }
    var listened: [UInt64: ListenedSensor] { places.holders }
    var isStopping: Bool { life.isStopping }
    var installation: Installation { settings.installation }
    var knowsEarlierRuns: Bool { life.knowsEarlierRuns }

    /// - Parameters:
    ///   - pairingPauses: Between automatic pairings with a sensor, while they fail.
    ///   - time: The clock of the collector's deadlines.
    ///   - randomness: Spreads the pauses of sensors, so that sensors do not try together.
    package init(
        controller: CBController, rules: [SensorRule], security: SensorSecurity = .init(),
        pairingPauses: ClosedRange<Duration> = .seconds(30)...(.seconds(3600)),
        confirmationLimit: Duration = .seconds(20), readsInformation: Bool = false,
        silenceLimits: SilenceLimits = .init(), slotLimits: SlotLimits = .init(),
        claimLimits: ClaimLimits = .init(), installation: Installation = .package, clock: any WallClock,
        time: @escaping @Sendable () -> DispatchTime, randomness: Randomness, outlet: CollectorOutlet, logger: Logger
    ) {
        limits = CollectorLimits(
            silence: silenceLimits, slots: slotLimits, claims: claimLimits, pairingPauses: pairingPauses,
            confirmation: confirmationLimit)
        settings = CollectorSettings(rules, security, readsInformation: readsInformation, on: installation)
        radio = CollectorRadio(controller)
        loop = CollectorLoop(time: time, randomness: randomness)
        self.clock = clock
        self.outlet = outlet
        self.logger = logger
        super.init()
        outlet.sensors.expect(settings.facts)
    }

    package func start() {
        queue.async { [self] in
            loop.start { [weak self] in self?.deadlinesPassed() }
            controller.setPairingAgent(self, queue: queue)
            applyPolicy()
            outlet.whenKnown { [weak self] in
                guard let self else { return }
                queue.async { self.earlierRunsAreKnown() }
            }
            radio.begin(self, queue: queue)
        }
    }

    /// Stops scanning, disconnects every sensor and hands over the remaining readings. Returns when all links are down,
    /// or after `timeout`.
    package func stop(timeout: Duration) {
        let done = DispatchSemaphore(value: 0)
        queue.sync {
            life.stop(done)
            stopScan()
            stopListening()
            for sensor in linked.values {
                sensor.phase.settle()
                record(.stopped, of: sensor)
                let isLinked: Bool =
                    switch sensor.link {
                    case .connecting, .waiting, .unavailable, .elsewhere: false
                    case .resting, .queued: sensor.hasLink
                    case .settingUp, .collecting, .disconnecting, .listening: true
                    }
                if sensor.link != .unavailable { manager?.cancelPeripheralConnection(sensor.peripheral) }
                if !isLinked { sensor.phase.lost() }
            }
            signalIfStopped()
        }
        _ = done.wait(within: timeout)
        queue.sync {
            flush()
            for sensor in linked.values {
                keepSequence(of: sensor)
                announce(sensor, isOnline: false)
                forgetPairing(sensor)
                sensor.pairing.fail("the gateway is stopping")
            }
            keepEvents(isEnd: true, of: Array(linked.values))
            // Without an agent, an open window alone would let sensors pair.
            controller.pairingPolicy = .neverByItself
            controller.setPairingAgent(nil)
            loop.stop()
            radio.end()
            feeds = [:]
            linked = [:]
        }
    }

    package var status: CollectorStatus {
        let (sensors, open, heard): (CollectorStatus, [SensorRule], HeardDevices) = queue.sync {
            (sensorStatus, unanswered, self.heard)
        }
        var status = sensors
        // The comparisons take long, so they stay off the collector's queue.
        status.awaited = heard.awaited(open, at: now)
        if outlet.sharesSensors() {
            for place in status.awaited.indices { status.awaited[place].mayBeElsewhere = true }
        }
        return status
    }

    private var sensorStatus: CollectorStatus {
        var status = CollectorStatus()
        let health = controller.health
        status.scanning = scan.isRunning && health.isScanning
        status.shortage = slots.shortage
        status.readings = batch.delivered
        status.unexpected = batch.unexpected
        judgeAll()
        let uptime = self.uptime
        status.isEarly = rounds.hearing.isShort(at: uptime, limits.silence) ? true : nil
        status.unheardMs = sources.compactMap(\.standing.unheardSince).min().map { since in
            max(0, uptime.subtractingSaturated(since))
        }
        status.sensors = sources.map { sensor in
            var status = sensor.status
            let facts = facts(of: sensor, at: uptime, health)
            (status.health, status.usualMs) = (sensor.standing.state, facts.pace ?? facts.usual)
            status.healthAgeMs = sensor.standing.since.map { max(0, uptime.subtractingSaturated($0)) }
            status.silentAfterMs = facts.silenceLimit(limits.silence)
            status.owner = owners[sensor.device]
            if let sensor = sensor as? LinkedSensor {
                status.radioSecondsDay = sensor.record.radioSecondsDay(readings: sensor.readings.total, at: uptime)
                status.turnMs = slots.shortage == nil ? nil : sensor.turn.period
                status.security = bond(of: sensor).map { self.status(of: $0).security }
            }
            for index in status.values.indices {
                status.values[index].ageMs = max(0, uptime - status.values[index].uptimeMs)
                status.values[index].endStates()
            }
            return status
        }.sorted { $0.id < $1.id }
        return status
    }

    /// The text of an advice, with the commands of this installation.
    func advise(_ advice: Advice) -> String { advice.text(on: installation) }

    /// Hands the readings of this wake-up to the journal.
    func flush() {
        guard !batch.isEmpty else { return }
        waitForRoom(batch.count)
        outlet.append(batch.take())
    }

    /// The collector holds sensors back rather than drop their readings. All readings of a wake-up together wait for
    /// ``CollectorLimits/room`` at most.
    func waitForRoom(_ count: Int) {
        let now = MonotonicTime(nanoseconds: Int64(clamping: now.uptimeNanoseconds))
        let (deadline, isNew) = batch.deadline(at: now, patience: limits.room)
        if isNew { queue.async { [self] in batch.wakeUpEnded() } }
        outlet.waitForRoom(count, deadline)
    }

    func describe(_ sensor: SensorSource) {
        let listened = sensor as? ListenedSensor
        // Held from now on: an entry that nobody holds may go.
        sensor.entry.hold()
        outlet.sensors.describe(
            sensor.device,
            SensorDescription(
                address: sensor.address, name: sensor.name,
                manufacturer: sensor.information.manufacturer, model: sensor.information.model,
                family: listened?.family.name, speaksSeldom: listened?.sendsEventsOnly ?? false,
                isSealed: listened?.key.isSealing ?? false, pacing: sensor.rule.pacing, facts: sensor.rule.facts,
                limits: sensor.rule.limits))
    }

    func announce(_ sensor: SensorSource, isOnline: Bool) {
        guard sensor.life.announce(isOnline) else { return }
        if isOnline {
            describe(sensor)
            keepAnnounced(sensor)
        }
        outlet.setAvailability(sensor.device, isOnline)
    }

    func signalIfStopped() {
        guard isStopping, linked.values.allSatisfy({ $0.link == .unavailable }) else { return }
        life.isStopped()
    }
}
