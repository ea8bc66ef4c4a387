// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Logging
import MQTT
import Platform
import Readings

/// Several gateways at a broker, if configured.
extension PublisherMachine {
    mutating func recordSignal(of device: String, _ rssi: Int?, at now: MonotonicTime) {
        leases?.watch(device, at: now)
        if let rssi { leases?.record(device, rssi: rssi, at: now) }
    }

    /// Takes a message on the topic of a sensor's owner.
    ///
    /// - Returns: False for a message on another topic.
    mutating func receiveLease(_ message: IncomingMessage, at moment: PublisherMoment) -> Bool {
        guard leases != nil, let device = sensor(of: message.topic.text) else { return false }
        let lease = SensorLease(message.payload)
        guard lease != nil || message.payload.isEmpty else {
            if leases?.receivedNonsense() == true {
                logHeard(.notice, "a message about a sensor's owner makes no sense", ["mqtt.topic": "\(message.topic)"])
            }
            return true
        }
        let wall = times.wall(moment.stamp)
        leases?.received(
            lease, of: device, isRetained: message.isRetained, at: moment.now, wall: wall, spread: moment.spread)
        return true
    }

    private func sensor(of topic: String) -> String? {
        let parts = topic.split(separator: "/")
        guard parts.count > 2, parts.last == "owner" else { return nil }
        let level = String(parts[parts.count - 2])
        // Most ids are a topic level without a change.
        if leases?.sensors[level] != nil, topics.owner(of: level) == topic { return level }
        return leases?.sensors.keys.first { topics.owner(of: $0) == topic }
    }

    /// Performs the due actions; called before anything is published, and also without a connection.
    mutating func settleOwners(at moment: PublisherMoment) {
        guard leases != nil else { return }
        let wall = times.wall(moment.stamp)
        let due = leases?.takeDue(at: moment.now, wall: wall, spread: moment.spread) ?? []
        for wish in due {
            switch wish {
            case .subscribe(let devices):
                // A session would keep old claims, and this gateway would take them for new claims.
                want(
                    .subscribe(
                        devices.compactMap { try? TopicFilter(topics.owner(of: $0)) }.map {
                            MQTTSubscription($0, quality: .atMostOnce)
                        }))
            case .say(let lease, let device):
                let topic = topics.owner(of: device)
                if retains { want(.noteRetained(topic: topic, device: device)) }
                control.append(OutgoingMessage(topic: topic, payload: lease?.payload ?? [], retain: true))
            case .changed(let device, let owner): changed(device, owner, at: moment.now)
            case .drop(let rows):
                want(.drop(rows, .covered))
                history.forget(rows)
            case .unheard(let device):
                log(
                    .warning,
                    "the gateway's message about a sensor's owner does not come back: the broker has to let it publish and "
                        + "subscribe there; readings are delivered all the same",
                    ["mqtt.topic": "\(topics.owner(of: device))"])
            }
        }
    }

    private mutating func changed(_ device: String, _ owner: SharedSensor.Owner, at now: MonotonicTime) {
        if case .other(let gateway) = owner {
            want(.tellOwner(gateway, device: device))
            presence.mayHaveChanged(layout.availability(of: device, isOnline: false).topic)
            discovery?.left(device)
            logHeard(.info, "another gateway takes care of a sensor", ["sensor": "\(device)", "gateway": "\(gateway)"])
            return
        }
        want(.tellOwner(nil, device: device))
        guard leases?.speaksFor(device) == true else { return }
        if owner == .us { logHeard(.info, "this gateway takes care of a sensor", ["sensor": "\(device)"]) }
        if let first = leases?.releaseHeld(of: device) { live.goBack(to: first - 1, underway: inFlight.rows) }
        guard isConnected else { return }
        // No report in this run, and no other gateway speaks for the sensor any more: an earlier run, or the gateway that had
        // the sensor, may have left it online.
        guard let isOnline = presence[device] else {
            // A check that is due later waits until the owners are known.
            if presence.formerDue == nil { presence.expectFormer(at: now) }
            return
        }
        announceAvailability(of: device, isOnline)
        discovery?.appeared(device, at: now)
    }

    /// Other gateways may take over the sensors that this gateway no longer collects from.
    mutating func releaseSensors() {
        leases?.release()
        for case .say(nil, let device) in leases?.takeWishes() ?? [] {
            let message = OutgoingMessage(topic: topics.owner(of: device), payload: [], retain: true)
            publish(message, as: .control(message))
        }
    }

    // MARK: - Readings

    /// Whether a young row goes out now; otherwise the history lane checks the row again when it is old.
    mutating func mayDeliver(_ row: JournalRow, from rows: any DeliveryRows) -> Bool {
        guard leases != nil, let time = times.time(of: row, from: rows) else { return true }
        let device = name(of: row.device, from: rows)
        switch leases?.verdict(on: device, unix: time.unixMilliseconds) {
        case .deliver, nil: return true
        case .keep:
            leases?.hold(row.n, of: device)
            return false
        case .drop: return false
        }
    }

    /// Whether an old row goes out now. A row that another gateway delivers is given up. A row without a known
    /// deliverer is passed over.
    mutating func mayTell(_ row: JournalRow, _ time: ReadingTime, from rows: any DeliveryRows) -> Bool {
        guard leases != nil, let unix = time.unixMilliseconds else { return true }
        let device = name(of: row.device, from: rows)
        switch leases?.verdict(on: device, unix: unix) {
        case .deliver, nil: return true
        case .keep:
            leases?.keep(row.n, of: device, unix: unix)
            history.pass(row)
        case .drop:
            want(.drop([row.n], .covered))
            history.leave()
        }
        return false
    }
}
