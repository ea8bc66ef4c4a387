// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Readings
import SparkplugB

/// Messages about the sensors' availability. The broker retains them, like messages to Home Assistant. An empty message
/// (MQTT 5.0, 3.3.1.3) clears them when a sensor is removed, or its topic has changed.
extension PublisherMachine {
    /// The availability of a sensor.
    enum Availability: Equatable, Sendable {
        case online
        case offline
        /// No longer a sensor of this gateway.
        case gone
    }

    mutating func setAvailability(
        _ word: Availability, of device: String, at now: MonotonicTime, from facts: any FactSource
    ) {
        switch word {
        case .online, .offline:
            sparkplug?.setOnline(Topics.level(device), word == .online, at: now)
            let isOnline = word == .online
            let change = presence.record(device, isOnline: isOnline)
            guard change != .none else { return }
            if !isOnline { discovery?.left(device) }
            // The sensor's first report since the start.
            if isConnected, change == .first { discovery?.appeared(device, at: now) }
            leases?.record(device, isPresent: isOnline, at: now)
            if isConnected { announceAvailability(of: device, isOnline) }
        case .gone:
            presence.forget(device)
            sparkplug?.remove(Topics.level(device), at: now)
            forgetDiscovery(of: device)
            // The check of former runs' topics will show the sensor's owner.
            if presence.formerDue != nil, leases?.sensors[device]?.owner == .nobody {
                presence.depart(device)
                return
            }
            defer { leases?.forget(device) }
            guard presence.depart(device), isConnected else { return }
            // Another gateway's messages about the sensor stay.
            guard leases?.isOthers(device) != true else {
                for topic in RetainedTopics.all(in: facts).filter({ $0.value == device }).keys {
                    want(.forgetRetained(topic: topic))
                }
                return
            }
            clear(RetainedTopics.all(in: facts).filter { $0.value == device }.keys)
        }
    }

    /// Clears the retained messages of former connections and former runs: of removed sensors, and on topics of another
    /// prefix. Sensors without a report in this run are offline: a former run that was killed has left them online.
    mutating func clearFormerAvailability(known facts: any FactSource) {
        presence.lookedAtFormer()
        let byDevice = Dictionary(grouping: RetainedTopics.all(in: facts), by: \.value)
        for (device, retained) in byDevice.sorted(by: { $0.key < $1.key }) {
            let current = presence.hasDeparted(device) ? [] : currentTopics(of: device)
            let former = retained.map(\.key).filter { !current.contains($0) }
            // Another gateway's messages about the sensor stay.
            if leases?.isOthers(device) == true {
                for topic in former { want(.forgetRetained(topic: topic)) }
            } else {
                clear(former)
            }
            if presence.hasDeparted(device) {
                leases?.forget(device)
            } else if presence[device] == nil, leases.map({ $0.sensors[device] != nil }) ?? true {
                let topic = layout.availability(of: device, isOnline: false).topic
                guard retained.contains(where: { $0.key == topic }), presence.needsWord(on: topic) else { continue }
                announceAvailability(of: device, false)
            }
        }
    }

    mutating func announceAvailability(of device: String, _ isOnline: Bool) {
        guard leases?.speaksFor(device) != false else { return }
        // Sparkplug has births and deaths of devices instead.
        guard sparkplug == nil else { return }
        let message = layout.availability(of: device, isOnline: isOnline)
        if retains { want(.noteRetained(topic: message.topic, device: device)) }
        control.append(message)
    }

    private mutating func clear(_ topics: some Sequence<String>) {
        // Without retain, the broker would pass an empty message to consumers, and keep the retained message.
        guard retains else { return }
        for topic in topics.sorted() {
            control.append(OutgoingMessage(topic: topic, payload: [], retain: true))
        }
    }

    /// The broker has accepted a message about the gateway or a sensor.
    mutating func controlAcknowledged(_ message: OutgoingMessage) {
        if let number = message.limit { want(.limitTold(number)) }
        presence.taken(message.topic)
        // A newer message of a sensor that came back is already waiting.
        if message.isClearing, control.isNewest(message) {
            want(.forgetRetained(topic: message.topic))
        }
    }
}

extension OutgoingMessage {
    /// The message makes the broker forget the retained message on its topic.
    fileprivate var isClearing: Bool { retain && payload.isEmpty }
}
