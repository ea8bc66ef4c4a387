// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import MQTT
import Platform
import Readings

/// What is said to Home Assistant, where the configuration wants that.
extension PublisherMachine {
    /// Who the gateway's own topics belong to in ``RetainedTopics``; no sensor has such a name.
    static let gatewayItself = "/gateway"

    private var messages: DiscoveryMessages {
        DiscoveryMessages(
            configuration: configuration.homeAssistant, layout: layout, commands: configuration.allowedCommands,
            hasUpdates: gateway.update != nil)
    }

    /// Tells how updates of the image stand, when that is news on this connection: Home Assistant alone wants to know.
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

    /// A message on the topic where Home Assistant says that it has started.
    mutating func takeStatus(_ message: IncomingMessage, at moment: PublisherMoment) {
        guard message.topic.text == configuration.homeAssistant.statusTopic, !message.isRetained,
            message.payload.elementsEqual("online".utf8)
        else { return }
        discovery?.started(presence.devices, at: moment.now, spread: moment.spread)
    }

    mutating func noteForDiscovery(
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

    /// An operator does not want one entity of a sensor: Home Assistant is told that it is gone, at once or with the next connection.
    mutating func drop(_ entity: EntityKey, of device: String, at now: MonotonicTime, from facts: any FactSource) {
        // The sensor may be known from an earlier run, and this run had no connection yet.
        if discovery?.sensors[device] == nil { discovery?.load(from: facts) }
        guard let former = discovery?.sensors[device], discovery?.drop(entity, of: device, at: now) == true,
            let sensor = discovery?.sensors[device], let fact = discovery?.fact(of: device)
        else { return }
        want(.keep(fact.value, key: fact.key))
        guard isConnected, leases?.speaksFor(device) != false else { return }
        let gone = Set(messages.topics(of: device, former)).subtracting(messages.topics(of: device, sensor))
        for topic in gone.sorted() { control.append(OutgoingMessage(topic: topic, payload: [], retain: retains)) }
    }

    /// Tells what is due.
    mutating func publishDiscovery(at now: MonotonicTime) {
        guard let due = discovery?.takeDue(at: now), !due.isEmpty else { return }
        for wish in due {
            switch wish {
            case .announceGateway:
                tell(messages.gateway(gateway.information), of: Self.gatewayItself)
                // Where nothing is retained, Home Assistant has it from here alone.
                if !retains { gateway.repeatUpdate() }
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

    /// The topics on which something is said of a device that is still there.
    func currentTopics(of device: String) -> Set<String> {
        if device == Self.gatewayItself {
            guard discovery != nil else { return [] }
            return Set(messages.gatewayTopics(gateway.information) + (gateway.update == nil ? [] : [topics.update]))
        }
        var current: Set = [topics.availability(of: device)]
        if leases != nil { current.insert(topics.owner(of: device)) }
        guard let sensor = discovery?.sensors[device] else { return current }
        return current.union(messages.topics(of: device, sensor))
    }

    /// A sensor was removed. What the broker retains is taken back with its availability; where it retains nothing,
    /// Home Assistant is told all the same.
    mutating func forgetDiscovery(of device: String) {
        guard let sensor = discovery?.sensors[device] else { return }
        if isConnected, !retains {
            for topic in messages.topics(of: device, sensor) {
                control.append(OutgoingMessage(topic: topic, payload: []))
            }
        }
        discovery?.forget(device)
        if let fact = discovery?.fact(of: device) { want(.keep("", key: fact.key)) }
    }
}
