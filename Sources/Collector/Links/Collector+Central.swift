// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import CoreBluetooth
import Dispatch
import Foundation
import Logging
import Platform
import Readings

extension Collector: CBCentralManagerDelegate {
    package func centralManagerDidUpdateState(_ central: CBCentralManager) {
        if central.state == .poweredOn {
            logger.info("controller ready", metadata: ["controller": "\(controller.statusDescription)"])
            controllerIsReady(isStart: true)
            return
        }
        let isPassing = central.state == .unknown || central.state == .resetting
        logger.log(
            level: isPassing ? .info : .warning, "controller not ready",
            metadata: ["controller": "\(controller.statusDescription)"])
        scan.lose()
        for sensor in linked.values {
            if sensor.link == .collecting || sensor.link == .settingUp { recordDrop(sensor, reason: "controller lost") }
            recordEnd(of: sensor, .hardwareFailure)
            if sensor.link != .unavailable { record(.controllerLost, of: sensor, controller.statusDescription) }
            endLink(sensor)
            sensor.phase.lost()
        }
        judgeAll()
        signalIfStopped()
    }

    package func centralManager(
        _ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any],
        rssi RSSI: NSNumber
    ) {
        let strength = RSSI.intValue
        guard DeviceAddress(peripheral.address, kind: .public)?.isDevice != false else { return }
        if let sensor = linked[peripheral.identifier] {
            recordSighting(of: sensor, rssi: strength)
            return
        }
        var candidate = candidate(peripheral)
        if let name = advertisementData[CBAdvertisementDataLocalNameKey] as? String { candidate.name = name }
        let services = advertisementData[CBAdvertisementDataServiceUUIDsKey] as? [CBUUID] ?? []
        candidate.services = services.compactMap { BluetoothUUID($0.uuidString) }
        candidate.rssi = strength == 127 ? nil : Int8(clamping: strength)
        let advertisement = Advertisement(
            advertisementData, address: candidate.address, name: candidate.name, services: candidate.services)
        let found = SensorFamilies.recognise(advertisement)
        candidate.add(advertisement, found)
        let isConnectable = (advertisementData[CBAdvertisementDataIsConnectable] as? NSNumber)?.boolValue ?? true
        heard.record(
            candidate, rssi: strength == 127 ? nil : Int8(clamping: strength), isConnectable: isConnectable,
            isPrivate: peripheral.hasPrivateAddress, packet: found?.readable,
            octets: central.heardOctets, at: now)
        if let found, !peripheral.hasPrivateAddress, listen(to: candidate, found) {
            scanIfNeeded()
            return
        }
        guard isConnectable, candidate.address.map({ listened[$0] == nil }) ?? true else { return }
        consider(peripheral, candidate, rssi: strength, step: "scan")
        if linked[peripheral.identifier] != nil { scanIfNeeded() }
    }

    package func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
        guard let sensor = linked[peripheral.identifier] else { return }
        recordLink(of: sensor)
        sensor.turn.connected(at: uptime)
        guard sensor.link == .connecting else { return }
        shareSlots()
        scan.prolongHold(at: now)
        sensor.record.countReconnect()
        sensor.plan.connected()
        beginSetUp(sensor)
    }

    package func centralManager(
        _ central: CBCentralManager, didFailToConnect peripheral: CBPeripheral, error: (any Error)?
    ) {
        guard let sensor = linked[peripheral.identifier] else { return }
        recordBondTrouble(sensor, error)
        let reason = linkEnd(error)
        if let reason, reason.isLackOfSlots, refusedSlot(of: sensor) { return signalIfStopped() }
        let failure = error.map(describe) ?? "connection failed"
        sensor.trouble.failed(failure)
        // The controller's state reports a failing controller.
        if reason != .hardwareFailure {
            record(.connectionFailed, of: sensor, reason == nil ? failure : nil) { $0.reason = reason }
        }
        var metadata = sensor.metadata
        metadata["reason"] = reason.map { "\($0)" }
        metadata["cause"] = reason == nil ? "\(failure)" : nil
        logger.warning("connection failed", metadata: metadata)
        retryLater(sensor)
        signalIfStopped()
    }

    package func centralManager(
        _ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral, error: (any Error)?
    ) {
        defer { signalIfStopped() }
        guard let sensor = linked[peripheral.identifier] else { return }
        // The loss of the controller has ended this link already, and counts once.
        if sensor.link == .unavailable, !sensor.life.isRemoved, !isStopping {
            sensor.upkeep.quest.linkEnded(byUs: true, at: uptime)
            return
        }
        let wasCollecting = sensor.link == .collecting
        let wasResting = sensor.link == .resting
        let wasQueued = sensor.link == .queued
        let wasOurs = sensor.link == .disconnecting || wasResting || wasQueued
        recordBondTrouble(sensor, error)
        // Some sensors disconnect as their only answer to a pairing.
        if sensor.pairing.isStranger, sensor.pairing.isUnderway, !wasOurs, let error {
            recordFailedPairing(sensor, error, describe(error))
        }
        if !wasOurs, !isStopping { recordDrop(sensor, reason: error.map(describe) ?? "disconnected") }
        let pause = sensor.record.judge(linkEnd(error), lastValue: sensor.lastValue, at: uptime)
        if sensor.hasLink { endTurn(of: sensor) }
        sensor.upkeep.quest.linkEnded(byUs: wasOurs || isStopping, at: uptime)
        recordEnd(of: sensor, linkEnd(error), error)
        endLink(sensor)
        shareSlots()
        if sensor.life.isRemoved {
            forget(sensor)
            scanAnew()
        } else if isStopping {
            sensor.phase.lost()
        } else if leavesToOwner(sensor) {
            announce(sensor, isOnline: false)
        } else if wasResting {
            awaitPoll(of: sensor)
        } else if wasQueued {
            // The collector asks for the link again when the sensor's turn comes.
            sensor.phase.queued()
        } else if wasCollecting {
            if pause > .zero { wait(pause, for: sensor) } else { connect(sensor, step: "reconnect") }
        } else {
            // The link was lost during set-up, or the collector gave it up. An immediate retry would loop with a sensor
            // that cannot work.
            let during = (error as? CBError)?.outstanding.map { ", during \($0)" } ?? ""
            if !wasOurs { fail(sensor, reason: "lost during set-up: \(sensor.record.lastDrop ?? "")\(during)") }
            retryLater(sensor)
        }
        if sensor.pairing.isStranger { scanIfNeeded() }
    }

    /// The trouble of the controller, and the remedy; nil while the controller works, or may work by itself in
    /// a moment.
    var controllerTrouble: String? {
        switch manager?.state {
        case .poweredOff, .unauthorized, .unsupported: controller.statusDescription
        default: nil
        }
    }

    /// The reasons why the controller permanently refuses to scan or to connect: no sensor is at fault then.
    var controllerRefusal: String? {
        let refusals = (controller.health.refusals ?? []).filter { $0.use != .advertise }.map(\.reason)
        guard !refusals.isEmpty else { return nil }
        let consequence = refusesToScan ? ["entries with an address are connected to without a scan"] : []
        return (refusals + consequence).joined(separator: "; ")
    }

    func recordDrop(_ sensor: LinkedSensor, reason: String) {
        sensor.record.dropped(reason)
    }

    /// The end of a link by its code and name; all other errors in words.
    func describe(_ error: any Error) -> String {
        (error as? CBError)?.linkEnd.map(String.init(describing:)) ?? error.localizedDescription
    }
}
