// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import CoreBluetooth
import Dispatch
import Foundation
import Logging
import Platform
import Readings

/// The reconnection workflow of Apple's Core Bluetooth Programming Guide, step by step: known identifiers, then
/// peripherals that are connected already, then a scan.
extension Collector {
    /// - Parameter isStart: The controller was set up just now. After later changes of the rules, the search starts at
    ///   once.
    func controllerIsReady(isStart: Bool) {
        guard let manager, !isStopping else { return }
        revive(with: manager)
        retrieveKnown(manager)
        retrieveConnected(manager)
        listenAsNeeded()
        if isStart {
            let waitsForKnown = linked.values.contains { $0.life.isProven && !$0.hasLink }
            if waitsForKnown || !knowsEarlierRuns { scan.hold(at: now) } else { scan.release() }
        }
        scanIfNeeded()
        rearm()
    }

    /// Called when a sensor is set up. Known sensors come first, because a scan would take the radio from them.
    func endScanHold(force: Bool = false) {
        guard scan.isHeld else { return }
        let isWaiting = linked.values.contains { $0.life.isProven && ($0.link == .connecting || $0.link == .settingUp) }
        guard force || !isWaiting else { return }
        scan.release()
        scanIfNeeded()
    }

    /// The journal was opened late, perhaps after sensors were found. Its facts about sensors count from now on.
    func earlierRunsAreKnown() {
        guard life.journalIsOpen() else { return }
        for sensor in linked.values {
            resumeSequence(of: sensor)
            if sensor.life.isProven { keep(sensor) }
            keepUnpaired(sensor)
            keepUnprovenBond(of: sensor)
            if sensor.life.isAnnounced { keepAnnounced(sensor) }
        }
        resumeCounters()
        resumeEvents()
        if let manager, manager.state == .poweredOn {
            retrieveKnown(manager)
            scan.prolongHold(at: now)
            endScanHold()
            rearm()
        }
        forgetDeparted()
    }

    /// Sensors from before the loss of the controller: their peripherals are invalid and have to be retrieved again.
    private func revive(with manager: CBCentralManager) {
        let identifiers = linked.values.filter { $0.link == .unavailable }.map(\.candidate.identifier)
        guard !identifiers.isEmpty else { return }
        for peripheral in manager.retrievePeripherals(withIdentifiers: identifiers) {
            guard let sensor = linked[peripheral.identifier] else { continue }
            sensor.found(again: peripheral)
            record(.controllerReady, of: sensor)
            connect(sensor, step: "known identifier")
        }
        for sensor in linked.values where sensor.link == .unavailable {
            forgetUnprovenBond(of: sensor)
            forget(sensor)
        }
    }

    private func retrieveKnown(_ manager: CBCentralManager) {
        for rule in rules where !rule.namesNothing {
            let identifiers = rule.identifier.map { [$0] } ?? known(by: rule)
            guard !identifiers.isEmpty else {
                logger.info("no known identifier", metadata: ["rule": "\(rule.label)"])
                continue
            }
            for peripheral in manager.retrievePeripherals(withIdentifiers: identifiers) {
                // Name and service matched the rule when the identifier was kept.
                accept(
                    peripheral, rule: rule, candidate: candidate(peripheral), isProven: true, step: "known identifier")
            }
        }
    }

    private func retrieveConnected(_ manager: CBCentralManager) {
        var services: Set<BluetoothUUID> = []
        for rule in rules where canMatchMore(rule) { services.formUnion(rule.service.map { [$0] } ?? rule.services) }
        for service in services {
            for peripheral in manager.retrieveConnectedPeripherals(withServices: [CBUUID(service)]) {
                var candidate = candidate(peripheral)
                candidate.services = [service]
                consider(peripheral, candidate, step: "already connected")
            }
        }
    }

    /// Scans only while a rule can match a new sensor, or a person wants to see the devices in the air.
    func scanIfNeeded() {
        guard let manager, manager.state == .poweredOn, !isStopping else { return }
        let open =
            provenSensors < Self.maximumSensors ? rules.filter { canMatchMore($0) || mayBeClaimed($0) } : []
        let isAsked = scan.isAsked(at: now)
        guard !open.isEmpty || isAsked else {
            stopScan()
            return
        }
        guard scan.mayBegin(at: now) else { return }
        let services = open.compactMap(\.service)
        let isNarrow = !isAsked && services.count == open.count && open.allSatisfy { $0.name == nil }
        let filter = isNarrow ? Set(services) : []
        logger.info(
            "scanning",
            metadata: [
                "rules": "\(open.map(\.label).joined(separator: ", "))",
                "filter": "\(filter.isEmpty ? "none" : filter.map(\.description).sorted().joined(separator: ","))",
            ])
        forgetStrangers()
        manager.scanForPeripherals(
            withServices: filter.isEmpty ? nil : filter.map { CBUUID($0) },
            options: [CBCentralManagerScanOptionIgnoresChangesKey: true])
        scan.began(tellingOfAll: filter.isEmpty, at: now)
        connectUnheard(after: Self.refusalLook)
        rearm()
    }

    /// A scan reports each device once, so only a new scan reports a device again that the collector has let go.
    func scanAnew() {
        scan.interrupt()
        scanIfNeeded()
    }

    func stopScan() {
        guard scan.end() else { return }
        manager?.stopScan()
        logger.info("scan stopped")
    }

    /// A rule for a single sensor is done when it has a working sensor. A device that only advertises the name must not
    /// keep the real sensor out.
    func canMatchMore(_ rule: SensorRule) -> Bool {
        !rule.isSingle
            || !(linked.values.contains { $0.life.isProven && $0.rule.key == rule.key && !isAway($0) }
                || listened.values.contains { $0.life.isProven && $0.rule.key == rule.key })
    }

    /// Whether a sensor has been unheard for so long that another device may take its place: its entry names no device
    /// for certain, and no bond does.
    func isAway(_ sensor: LinkedSensor) -> Bool {
        guard Self.isOpen(sensor.rule), sensor.rule.passkey == nil, sensor.pairing.dialogue == nil, !sensor.hasLink,
            sensor.link == .connecting || sensor.link == .waiting, bond(of: sensor) == nil
        else { return false }
        let last = lastHeard(sensor) ?? sensor.life.began ?? 0
        return uptime.subtractingSaturated(last) > limits.silence.unknown
    }

    /// Takes the peripheral if a rule accepts it. Called for every sighting of every device: most lead nowhere. `rssi`:
    /// the sighting's; 127 if unknown.
    func consider(
        _ peripheral: CBPeripheral, _ candidate: SensorRule.Candidate, rssi: Int? = nil, step: String
    ) {
        guard linked[candidate.identifier] == nil,
            let rule = rules.first(where: { $0.accepts(candidate) && canMatchMore($0) })?.filled(for: candidate),
            mayHavePlace(candidate, rule)
        else { return }
        accept(peripheral, rule: rule, candidate: candidate, isProven: false, rssi: rssi, step: step)
    }

    func accept(
        _ peripheral: CBPeripheral, rule: SensorRule, candidate: SensorRule.Candidate, isProven: Bool, rssi: Int? = nil,
        step: String
    ) {
        guard linked[candidate.identifier] == nil, canMatchMore(rule) else { return }
        guard provenSensors < Self.maximumSensors else {
            warnOfMaximum()
            return
        }
        guard isProven || makeRoomForCandidate(of: rule) else { return }
        let sensor = LinkedSensor(
            peripheral: peripheral, candidate: candidate, rule: rule,
            life: SensorLife(isProven: isProven, order: crowd.nextOrder(), began: uptime),
            pairing: SensorPairing(
                pauses: limits.pairingPauses, next: restraint.hold(of: rule) ?? now,
                isStranger: peripheral.hasPrivateAddress),
            sensors: outlet.sensors)
        if isProven, Self.isOpen(rule) { _ = rounds.begin(at: now) }
        linked[candidate.identifier] = sensor
        if rounds.judgement == nil { judgeAll() }
        takeUpHistory(of: sensor)
        if let rssi { recordSighting(of: sensor, rssi: rssi) }
        resumeSequence(of: sensor)
        connectUnlessOwned(sensor, step: step)
    }

    func connect(_ sensor: LinkedSensor, step: String) {
        guard manager?.state == .poweredOn, !isStopping, !leavesAlone(sensor), !leavesToOwner(sensor)
        else { return }
        sensor.peripheral.delegate = self
        guard slots.shortage == nil, controller.slots.limit == nil else { return queueUp(sensor, step: step) }
        ask(for: sensor, step: step)
    }

    /// Makes the controller wait for the sensor.
    func ask(for sensor: LinkedSensor, step: String) {
        // The log has a warning about the crowd of candidates.
        let isOneOfMany = !sensor.life.isProven && crowd.isTold(at: now)
        logger.log(
            level: isOneOfMany ? .debug : level(of: sensor), "connecting",
            metadata: sensor.metadata.merging(["step": "\(step)"]) { $1 })
        sensor.phase.connecting()
        sensor.turn.asked(at: uptime)
        record(.connecting, of: sensor, step)
        applyPolicy()
        // The connection attempt never times out, because the sensor may come into range at any time.
        manager?.connect(sensor.peripheral, options: nil)
    }

    func candidate(_ peripheral: CBPeripheral) -> SensorRule.Candidate {
        SensorRule.Candidate(
            name: peripheral.name, address: DeviceAddress(peripheral.address, kind: .public)?.value,
            identifier: peripheral.identifier, services: [])
    }
}

/// Identifiers from earlier runs, numbered under the rule that accepted them. A changed rule starts afresh.
extension Collector {
    private func known(by rule: SensorRule) -> [UUID] {
        var found: [UUID] = []
        while found.count < Self.maximumSensors,
            let identifier = outlet.identifier("\(rule.key)#\(found.count)").flatMap(UUID.init(uuidString:))
        {
            found.append(identifier)
        }
        return found
    }

    func keep(_ sensor: LinkedSensor) {
        // The identifier of a private address means nothing in another run. A new list begins only after the earlier
        // runs' list is known, because the new list would overwrite the old list.
        guard !sensor.pairing.isStranger, knowsEarlierRuns else { return }
        let identifier = bond(of: sensor)?.identifier ?? sensor.candidate.identifier
        let known = known(by: sensor.rule)
        guard !known.contains(identifier), known.count < Self.maximumSensors else { return }
        // A rule for a single sensor has a single place, and a replacement takes this place.
        let place = sensor.rule.isSingle ? 0 : known.count
        outlet.keep(identifier.uuidString, "\(sensor.rule.key)#\(place)")
    }

    /// Undoes ``keep(_:)`` for a sensor that only a removed bond may have told from other devices.
    func unkeep(_ identifier: UUID, of rule: SensorRule) {
        let known = known(by: rule)
        let left = known.filter { $0 != identifier }
        guard left.count < known.count else { return }
        for (place, identifier) in left.enumerated() { outlet.keep(identifier.uuidString, "\(rule.key)#\(place)") }
        // A text that is not an identifier ends the list.
        for place in left.count..<known.count { outlet.keep("", "\(rule.key)#\(place)") }
    }
}

extension SensorRule {
    /// Equal for rules that accept the same sensors.
    var key: String {
        let parts: [(String, String?)] = [
            ("id", id), ("name", name), ("address", address.map { DeviceAddress(kind: .public, value: $0).compact }),
            ("identifier", identifier?.uuidString), ("service", service?.description),
            ("manufacturer", manufacturer.map { String($0, radix: 16) }), ("family", family), ("model", model),
        ]
        return parts.compactMap { name, value in value.map { "\(name)=\($0)" } }.joined(separator: ";")
    }

    /// For the log.
    package var label: String { id ?? key }
}

extension CBUUID {
    convenience init(_ uuid: BluetoothUUID) { self.init(string: uuid.description) }
}
