// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import MQTT
import Platform
import Readings

/// Messages to Home Assistant, if the configuration wants them.
extension PublisherMachine {
    /// The owner of the gateway's own topics in ``RetainedTopics``; no sensor has this name.
    static let gatewayItself = "/gateway"

    private var messages: DiscoveryMessages {
        DiscoveryMessages(
            configuration: configuration.homeAssistant, layout: layout, commands: configuration.allowedCommands,
            controls: configuration.controls, hasUpdates: gateway.update != nil)
    }

    /// Reports the state of image updates, if it is news on this connection. Only Home Assistant needs this state.
    mutating func announceUpdate() {
        guard discovery != nil, isConnected, let update = gateway.takeUpdate() else { return }
        let message = OutgoingMessage(topic: topics.update, payload: UpdateState(update).payload, retain: true)
        tell([message], of: Self.gatewayItself)
    }

    mutating func beginDiscovery(at now: MonotonicTime, from facts: any FactSource) {
        guard discovery != nil else { return }
        discovery?.load(from: facts)
        discovery?.begin(presence.devices, at: now)
    }

    /// Takes a message on the topic on which Home Assistant reports its start.
    mutating func receiveStatus(_ message: IncomingMessage, at moment: PublisherMoment) {
        guard message.topic.text == configuration.homeAssistant.statusTopic, !message.isRetained,
            message.payload.elementsEqual("online".utf8)
        else { return }
        discovery?.started(presence.devices, at: moment.now, spread: moment.spread)
    }

    mutating func recordForDiscovery(
        _ row: JournalRow, isLive: Bool = true, state: OutgoingMessage?, at now: MonotonicTime,
        from rows: any DeliveryRows
    ) {
        guard discovery != nil, let fields = composer.fields(of: row, from: rows) else { return }
        let learned = discovery?.took(
            fields, of: row, isLive: isLive, state: state, at: now,
            isSealed: { [descriptions] in descriptions[$0]?.isSealed == true }
        ) { try? rows.deviceName(row.device) }
        guard let device = learned, let fact = discovery?.fact(of: device) else { return }
        want(.keep(fact.value, key: fact.key))
    }

    /// An operator does not want an entity of a sensor. Home Assistant hears that the entity is gone, at once or on the
    /// next connection.
    mutating func drop(_ entity: EntityKey, of device: String, at now: MonotonicTime, from facts: any FactSource) {
        // The sensor may be known from an earlier run, while this run has had no connection.
        if discovery?.sensors[device] == nil { discovery?.load(from: facts) }
        guard let former = discovery?.sensors[device], discovery?.drop(entity, of: device, at: now) == true,
            let sensor = discovery?.sensors[device], let fact = discovery?.fact(of: device)
        else { return }
        want(.keep(fact.value, key: fact.key))
        guard isConnected, leases?.speaksFor(device) != false else { return }
        let description = descriptions[device]
        let gone = Set(messages.topics(of: device, former, description))
            .subtracting(messages.topics(of: device, sensor, description))
        for topic in gone.sorted() { control.append(OutgoingMessage(topic: topic, payload: [], retain: retains)) }
    }

    /// Sends the due announcements.
    mutating func publishDiscovery(at now: MonotonicTime) {
        guard let due = discovery?.takeDue(at: now), !due.isEmpty else { return }
        for wish in due {
            switch wish {
            case .announceGateway:
                tell(messages.gateway(gateway.information), of: Self.gatewayItself)
                // Without retained messages, this message is Home Assistant's only source.
                if !retains {
                    gateway.repeatUpdate()
                    gateway.repeatProblems()
                    gateway.repeatLimits()
                }
            case .announce(let device):
                guard let sensor = discovery?.sensors[device], presence[device] != nil,
                    leases?.speaksFor(device) != false
                else { continue }
                let told = messages.sensor(device, sensor, descriptions[device], version: gateway.information.version)
                tell(told, of: device)
            case .echo(let device):
                guard presence[device] == true, leases?.speaksFor(device) != false else { continue }
                for state in discovery?.states(of: device) ?? [] { want(.mention(state)) }
            }
        }
    }

    private mutating func tell(_ messages: [OutgoingMessage], of device: String) {
        for message in messages {
            if retains { want(.noteRetained(topic: message.topic, device: device)) }
            control.append(message)
        }
    }

    /// The topics of messages about a present device.
    func currentTopics(of device: String) -> Set<String> {
        if device == Self.gatewayItself {
            guard discovery != nil else { return [] }
            return Set(messages.gatewayTopics(gateway.information) + (gateway.update == nil ? [] : [topics.update]))
        }
        var current: Set = [topics.availability(of: device)]
        if leases != nil { current.insert(topics.owner(of: device)) }
        guard let sensor = discovery?.sensors[device] else { return current }
        return current.union(messages.topics(of: device, sensor, descriptions[device]))
    }

    /// A sensor was removed. The broker's retained messages are cleared with the sensor's availability. Without
    /// retained messages, Home Assistant gets the removal all the same.
    mutating func forgetDiscovery(of device: String) {
        guard let sensor = discovery?.sensors[device] else { return }
        if isConnected, !retains {
            for topic in messages.topics(of: device, sensor, descriptions[device]) {
                control.append(OutgoingMessage(topic: topic, payload: []))
            }
        }
        discovery?.forget(device)
        if let fact = discovery?.fact(of: device) { want(.keep("", key: fact.key)) }
    }
}
