// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import CMosquitto
import Foundation
import Logging

/// What the broker says of messages: acknowledged, or refused; a refused device is set aside alone.
extension PublisherDesk {
    /// Nothing was acknowledged for too long.
    func isOverdue(at now: MonotonicTime) -> Bool {
        waitingSince.map { now - $0 >= configuration.acknowledgementTimeout } ?? false
    }

    mutating func settle(_ settlements: [MQTTConnection.Settlement]) {
        guard !settlements.isEmpty else { return }
        var delivered: [Int64] = []
        var resumed: [Int64] = []
        for settlement in settlements {
            guard let message = inFlight.removeValue(forKey: settlement.messageID) else { continue }  // QoS 0
            lastTraffic = .now
            waitingSince = inFlight.isEmpty ? nil : lastTraffic
            if settlement.reason.isFailure {
                refused(message, settlement.reason)
                continue
            }
            switch message {
            case .row(let n, _): delivered.append(n)
            case .rows(let numbers, _, _): delivered.append(contentsOf: numbers)
            case .control(let topic):
                refusedTopics[topic] = nil
                continue
            case .offline:
                isOffline = true
                continue
            }
            acknowledged += 1
            if let device = message.device, refusedDevices.isTrying(device) { resumed.append(device) }
        }
        guard !delivered.isEmpty else { return }
        hasDelivered = true
        journal.acknowledge(delivered)
        for device in resumed { resume(device) }
    }

    mutating func refused(_ message: InFlight, _ reason: MQTTReason) {
        switch message {
        case .offline: isOffline = true
        case .control(let topic):
            complaint = "\(topic) refused: \(reason)"
            guard refusedTopics.updateValue(reason, forKey: topic) != reason else { return }
            logger.error(
                "the broker refuses a message", metadata: ["mqtt.topic": "\(topic)", "mqtt.reason": "\(reason)"])
        case .row(let n, let device): setAside(device, from: n, reason)
        case .rows(let numbers, let device, let octets):
            guard let first = numbers.first else { return }
            guard numbers.count > 1, reason == .packetTooLarge else { return setAside(device, from: first, reason) }
            shrinkHistory(below: octets)
            refusedDevices.repeatSmaller(device, from: first, at: .now)
            rows.removeAll { $0.device == device }
        }
    }

    // MARK: - Refused devices

    /// Leaves the device's rows in the journal until the broker takes the first of them.
    mutating func setAside(_ device: Int64, from n: Int64, _ reason: MQTTReason) {
        let news = refusedDevices.refuse(device, row: n, reason, at: .now)
        rows.removeAll { $0.device == device }
        let name = name(of: device)
        complaint = "readings of \(name) refused: \(reason)"
        guard let news else { return }
        logger.error(
            "the broker refuses a sensor's readings; they stay in the journal and are tried again",
            metadata: [
                "sensor.id": "\(name)", "mqtt.reason": "\(reason)", "mqtt.refusals": "\(news.refusals)",
                "mqtt.next_try": "\(news.wait)",
            ])
    }

    mutating func resume(_ device: Int64) {
        guard let first = refusedDevices.first(of: device) else { return }
        if refusedDevices.resume(device, at: .now) {
            logger.notice("the broker takes a sensor's readings again", metadata: ["sensor.id": "\(name(of: device))"])
        }
        goBack(to: first - 1)
    }

    func name(of device: Int64) -> String {
        let name = try? journal.deviceName(device)
        return name ?? "device-\(device)"
    }

    /// The refused device whose turn is next; one of which something is still on its way has to wait for that.
    var nextRefused: (device: Int64, until: MonotonicTime)? {
        guard !refusedDevices.isEmpty else { return nil }
        return refusedDevices.nextDue { device in inFlight.values.contains { $0.device == device } }
    }

    /// Sends the first row that was refused again, by itself.
    mutating func tryAgain(
        _ device: Int64, on connection: MQTTConnection, at now: MonotonicTime, _ stamp: TimeStamp
    ) throws(MQTTFailure) {
        guard let first = refusedDevices.first(of: device) else { return }
        let found: JournalRow?
        do {
            found = try journal.rows(after: first - 1, limit: 1).first
        } catch {
            return refusedDevices.postpone(device, until: now + Self.holdInterval)
        }
        // The journal may have given it up: then what is left shows whether the broker takes it.
        guard let row = found, row.n == first, row.device == device else { return resume(device) }
        guard let time = time(of: row) else {
            return refusedDevices.postpone(device, until: now + Self.holdInterval)
        }
        refusedDevices.beginTry(device)
        if timeLine.isLive(row, at: stamp.uptimeMilliseconds, window: configuration.liveWindow.wholeMilliseconds) {
            return try sendState(of: row, time: time, on: connection)
        }
        composer.beginHistory(limit: historyLimit)
        composer.addToHistory(row, time: time, boot: timeLine.boot(row.boot)?.name ?? "")
        for message in composer.endHistory() { try send(message, on: connection) }
    }

    mutating func shrinkHistory(below octets: Int) {
        guard octets / 2 < historyLimit else { return }
        historyLimit = max(octets / 2, 1)
        logger.warning(
            "the broker does not take messages of this size; history goes in smaller ones",
            metadata: ["mqtt.octets": "\(octets)", "mqtt.history_octets": "\(historyLimit)"])
    }
}
