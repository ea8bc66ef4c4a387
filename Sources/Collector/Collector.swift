// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import CoreBluetooth
import Dispatch
import Foundation
import Logging
import Platform
import Readings

/// Finds the sensors that the rules accept, keeps links to them, and turns their values into readings.
///
/// A client of Core Bluetooth and nothing else. Everything happens on one dispatch queue, on which the manager calls its
/// delegates, too; values of one wake-up go to the journal together.
///
/// `@unchecked Sendable`: all mutable state is only touched on `queue`; what is called from elsewhere hops there.
package final class Collector: NSObject, @unchecked Sendable {
    /// Sensors that work or once worked at most; more are left alone and a warning says so.
    package static let maximumSensors = 512
    /// Readings that go to the journal in one piece at most: no more than the smallest of its queues holds.
    static let maximumBatch = 100
    /// A link that is not collecting after this long is given up and made again.
    static let setUpLimit = DispatchTimeInterval.seconds(60)
    static let disconnectLimit = DispatchTimeInterval.seconds(10)
    /// A scan is begun anew this often: coalesced sightings may have lacked the name that a rule looks for.
    static let scanPeriod = DispatchTimeInterval.seconds(60)
    /// So long known sensors have the radio for themselves at a start, and after each of them that has come. Where the process was
    /// killed, they advertise again when they have missed us for the 5 s of a link's supervision time-out.
    static let scanHoldLimit = DispatchTimeInterval.seconds(10)
    /// The same while candidates have to make room for others.
    static let crowdedScanPeriod = DispatchTimeInterval.seconds(10)
    static let candidateWarningPeriod = DispatchTimeInterval.seconds(600)
    static let indicationWarningPeriod = DispatchTimeInterval.seconds(60)

    let queue = DispatchQueue(label: "martlet.collector")
    let controller: CBController
    let clock: any WallClock
    let outlet: CollectorOutlet
    let logger: Logger
    var security: SensorSecurity
    /// Ask sensors who made them, for what is told of them.
    var readsInformation: Bool

    var manager: CBCentralManager?
    var rules: [SensorRule]
    /// By identifier.
    var linked: [UUID: LinkedSensor] = [:]
    /// By address.
    var listened: [UInt64: ListenedSensor] = [:]
    /// Devices that claim a place and have none; by address. Nothing is collected from them.
    var claims: [UInt64: ListenedSensor] = [:]
    /// Since when the holder of an entry's place has not been heard in this run, by the entry's key; milliseconds since boot.
    var awaitedSince: [String: Int64] = [:]
    /// The gateways that take care of sensors in place of this one, by the sensors' `<dev>`.
    var owners: [String: String] = [:]
    /// Hears the listened ones.
    var listener: AdvertisementListener?
    var feeds: [ObjectIdentifier: CharacteristicFeed] = [:]
    /// What scans have told of, for hints about entries that nothing answers to.
    var heard = HeardDevices()
    var pending: [Reading] = []
    /// How long readings of one wake-up may wait for room in the journal. Twice that must be shorter than what the host bears
    /// of a manager that handles nothing, 5 s.
    var patience: Duration = .seconds(2)
    /// Until then readings of this wake-up may wait for room.
    var heldUntil: MonotonicTime?
    var isScanning = false
    /// The scan tells of every device, whatever the rules look for.
    var scansForAll = false
    /// Until then somebody wants to know what is in the air.
    var askedUntil = DispatchTime(uptimeNanoseconds: 0)
    var scanDeadline: DispatchTime?
    /// Until then only what is known is connected to.
    var scanHold: DispatchTime?
    /// Whether those that advertise are heard.
    var unheard = UnheardWatch()
    /// More sensors want a link than the controller bears.
    var slotShortage: SlotShortage?
    /// When the sensors' turns are to be looked at again.
    var slotDeadline: DispatchTime?
    var isSharePending = false
    /// When a link more than the controller is known to bear is tried, in milliseconds since boot; nil before it has refused one.
    var nextSlotProbe: Int64?
    var timer: (any DispatchSourceTimer)?
    var isStopping = false
    /// What earlier runs have kept can be asked for.
    var knowsEarlierRuns = false
    var stopped: DispatchSemaphore?
    var readings = 0
    var unexpected = 0
    var warnedOfMaximum = false
    /// Before this, nothing more is said of candidates that were let go.
    var nextCandidateWarning = DispatchTime(uptimeNanoseconds: 0)
    /// Before this, nothing more is said of sensors whose addresses change.
    var nextStrangerWarning = DispatchTime(uptimeNanoseconds: 0)
    /// Until when sensors of a rule are not paired with by themselves, by the rule's key: an operator has just unpaired one.
    var pairingHolds: [String: DispatchTime] = [:]
    var evictedCandidates = 0
    var candidateOrder: UInt64 = 0
    var passkeyTrials = PasskeyTrials()
    let pairingPauses: ClosedRange<Duration>
    /// How long an indicated value may wait for the disk before its link is given up.
    let confirmationLimit: Duration
    var indicationNumber: UInt64 = 0
    /// Before this, nothing more is said of indicated values that the disk did not get.
    var nextIndicationWarning = DispatchTime(uptimeNanoseconds: 0)
    /// When sensors with a link are looked at again.
    var lookDeadline: DispatchTime?
    let silenceLimits: SilenceLimits
    let slotLimits: SlotLimits
    let claimLimits: ClaimLimits
    /// The last of the controller's events that sensors were told of.
    var knownRadioEvent: UInt64 = 0
    /// Oldest first.
    var departed: [DepartedSensor] = []
    /// What the timer is set to.
    var armed = DispatchTime.distantFuture

    /// `pairingPauses`: between pairings with one sensor by itself, while they fail.
    package init(
        controller: CBController, rules: [SensorRule], security: SensorSecurity = .init(),
        pairingPauses: ClosedRange<Duration> = .seconds(30)...(.seconds(3600)),
        confirmationLimit: Duration = .seconds(20), readsInformation: Bool = false,
        silenceLimits: SilenceLimits = .init(), slotLimits: SlotLimits = .init(),
        claimLimits: ClaimLimits = .init(), clock: any WallClock,
        outlet: CollectorOutlet, logger: Logger
    ) {
        (self.silenceLimits, self.slotLimits, self.claimLimits) = (silenceLimits, slotLimits, claimLimits)
        self.readsInformation = readsInformation
        self.confirmationLimit = confirmationLimit
        self.pairingPauses = pairingPauses
        self.security = security
        self.controller = controller
        self.rules = rules.map(\.withProfile)
        self.clock = clock
        self.outlet = outlet
        self.logger = logger
        super.init()
    }

    package func start() {
        queue.async { [self] in
            let timer = DispatchSource.makeTimerSource(queue: queue)
            timer.setEventHandler { [weak self] in self?.deadlinesPassed() }
            timer.activate()
            self.timer = timer
            controller.setPairingAgent(self, queue: queue)
            applyPolicy()
            outlet.whenKnown { [weak self] in
                guard let self else { return }
                queue.async { self.earlierRunsAreKnown() }
            }
            manager = CBCentralManager(
                delegate: self, queue: queue, options: [CBCentralManagerOptionControllerKey: controller])
            manager?.keepOctets()
            manager?.deferOwnRequests()
        }
    }

    /// Stops scanning, disconnects every sensor and hands over what is left. Returns when all links are down, or after
    /// `timeout`.
    package func stop(timeout: Duration) {
        let done = DispatchSemaphore(value: 0)
        queue.sync {
            isStopping = true
            stopped = done
            stopScan()
            stopListening()
            for sensor in linked.values {
                sensor.deadline = nil
                note(.stopped, of: sensor)
                let isLinked: Bool =
                    switch sensor.link {
                    case .connecting, .waiting, .unavailable, .elsewhere: false
                    case .resting, .queued: sensor.hasLink
                    case .settingUp, .collecting, .disconnecting, .listening: true
                    }
                if sensor.link != .unavailable { manager?.cancelPeripheralConnection(sensor.peripheral) }
                if !isLinked { sensor.link = .unavailable }
            }
            signalIfStopped()
        }
        _ = done.wait(timeout: .now() + .milliseconds(Int(timeout / .milliseconds(1))))
        queue.sync {
            flush()
            for sensor in linked.values {
                keepSequence(of: sensor)
                announce(sensor, isOnline: false)
                forgetPairing(sensor)
                sensor.dialogue?.fail("the gateway is stopping")
            }
            // Without an agent, an open window alone would let sensors pair.
            controller.pairingPolicy = .neverByItself
            controller.setPairingAgent(nil)
            timer?.cancel()
            timer = nil
            manager?.delegate = nil
            manager = nil
            feeds = [:]
            linked = [:]
        }
    }

    package var status: CollectorStatus {
        let (sensors, open, heard): (CollectorStatus, [SensorRule], HeardDevices) = queue.sync {
            (sensorStatus, unanswered, self.heard)
        }
        var status = sensors
        // The comparisons are many: the collector's queue has better things to do.
        status.awaited = heard.awaited(open, at: .now())
        if outlet.sharesSensors() {
            for place in status.awaited.indices { status.awaited[place].mayBeElsewhere = true }
        }
        return status
    }

    private var sensorStatus: CollectorStatus {
        var status = CollectorStatus()
        status.scanning = isScanning && controller.health.isScanning
        status.shortage = slotShortage
        status.readings = readings
        status.unexpected = unexpected
        let uptime = clock.stamp().uptimeMilliseconds
        let sensors: [SensorSource] = Array(linked.values) + Array(listened.values)
        status.sensors = sensors.map { sensor in
            var status = sensor.status
            status.owner = owners[sensor.device]
            if let sensor = sensor as? LinkedSensor {
                status.radioSecondsDay = sensor.radio.secondsPerDay(readings: sensor.readings, at: uptime)
                    .map { ($0 * 10).rounded() / 10 }
                status.turnMs = slotShortage == nil ? nil : sensor.turn.period
                status.security = bond(of: sensor).map { self.status(of: $0).security }
            }
            for index in status.values.indices {
                status.values[index].ageMs = max(0, uptime - status.values[index].uptimeMs)
            }
            return status
        }.sorted { $0.id < $1.id }
        return status
    }

    /// Hands the readings of this wake-up to the journal.
    func flush() {
        guard !pending.isEmpty else { return }
        readings += pending.count
        waitForRoom(pending.count)
        outlet.append(pending)
        pending.removeAll(keepingCapacity: true)
    }

    /// Sensors are held back rather than that their readings are dropped. All that is handed over in one wake-up waits for no
    /// longer than ``patience`` together.
    func waitForRoom(_ count: Int) {
        let deadline = heldUntil ?? .now + patience
        if heldUntil == nil {
            heldUntil = deadline
            queue.async { [self] in heldUntil = nil }
        }
        outlet.waitForRoom(count, deadline)
    }

    func describe(_ sensor: SensorSource) {
        let listened = sensor as? ListenedSensor
        outlet.describe(
            sensor.device,
            SensorDescription(
                address: sensor.address, name: sensor.name,
                manufacturer: sensor.information.manufacturer, model: sensor.information.model,
                family: listened?.family.name, speaksSeldom: listened?.sendsEventsOnly ?? false,
                isSealed: listened?.isSealed ?? false, pacing: sensor.rule.pacing))
    }

    func announce(_ sensor: SensorSource, isOnline: Bool) {
        guard sensor.isAnnounced != isOnline else { return }
        sensor.isAnnounced = isOnline
        if isOnline {
            describe(sensor)
            keepAnnounced(sensor)
        }
        outlet.setAvailability(sensor.device, isOnline)
    }

    func signalIfStopped() {
        guard let stopped, linked.values.allSatisfy({ $0.link == .unavailable }) else { return }
        stopped.signal()
        self.stopped = nil
    }
}
