// SPDX-License-Identifier: Apache-2.0

import Foundation
import Readings

/// Makes the messages that announce a gateway and its sensors to Home Assistant.
struct DiscoveryMessages: Sendable {
    let configuration: HomeAssistantConfiguration
    let layout: any MessageLayout
    /// Verbs that the gateway accepts over MQTT.
    var commands: [String] = []
    /// The operations that are entities of the gateway.
    var controls: [GatewayControl] = []
    /// The gateway was flashed, and reports updates.
    var hasUpdates = false
    private var page: String? { configuration.page }
    private var topics: Topics { layout.topics }

    /// The gateway's name among devices. A prefix distinguishes it from the names of sensors.
    var gatewayID: String {
        "martlet_" + (topics.gateway.hasPrefix("gw-") ? topics.gateway : "gw-\(topics.gateway)")
    }

    /// The facts about a device, for a single message or many messages.
    private struct Subject {
        var id: String
        var device: DiscoveryDocument.Device
        // For entities without a topic of their own.
        var stateTopic: String
        var qos: Int
        var availability: [DiscoveryDocument.Availability]?
        var entities: [(key: String, entity: DiscoveryDocument.Entity)]
        /// The platforms of dropped entities.
        var gone: [String: String] = [:]

        /// With several topics, each topic has to say `online`.
        var availabilityMode: String? { availability == nil ? nil : "all" }
    }

    // MARK: - Sensors

    func sensor(
        _ device: String, _ sensor: DiscoveredSensor, _ description: SensorDescription?, version: String
    ) -> [OutgoingMessage] {
        messages(subject(device, sensor, description), version: version)
    }

    /// The topics of messages about the sensor.
    func topics(of device: String, _ sensor: DiscoveredSensor, _ description: SensorDescription? = nil) -> [String] {
        topics(subject(device, sensor, description))
    }

    private func subject(_ device: String, _ sensor: DiscoveredSensor, _ description: SensorDescription?) -> Subject {
        let id = "martlet_\(Topics.level(device))"
        let layoutSensor = layout.sensor(device, name: description?.name, description)
        // A sensor that only reports events does not expire between events.
        // The availability tells of silence first: the expiry is for messages that the broker does not pass on.
        let silence = SensorDescription.silentIntervals * sensor.interval
        let expiry = description?.speaksSeldom == true || sensor.interval == 0 ? nil : silence
        var entities = sensor.entities.sorted().compactMap { key in
            entity(key, id, layoutSensor, expiry, offDelay: offDelay(key.quantity, description)).map { (key.text, $0) }
        }
        entities.append(("rssi", signalStrength(id, expiry)))
        if description?.limits?.isEmpty == false { entities.append(("limits", limits(of: device, id))) }
        return Subject(
            id: id,
            device: DiscoveryDocument.Device(
                ids: [id], cns: description?.address.map { [["bluetooth", $0]] }, name: name(of: device, description),
                mf: description?.manufacturer, mdl: description?.model ?? description?.family, sw: nil,
                via_device: gatewayID, suggested_area: description?.facts.room, configuration_url: page),
            stateTopic: layoutSensor.state, qos: 1,
            availability: [topics.status, topics.availability(of: device)].map {
                DiscoveryDocument.Availability(topic: $0)
            }, entities: entities,
            gone: Dictionary(
                sensor.dropped.compactMap { key in key.quantity.homeAssistantPlatform.map { (key.text, $0) } }
            ) { first, _ in first })
    }

    /// The operator's label is the name, or an id that a person chose. Otherwise the name is the sensor's own name, with the end of its address
    /// to distinguish equal sensors.
    private func name(of device: String, _ description: SensorDescription?) -> String {
        if let label = description?.facts.label { return label }
        let digits = description?.address?.filter { $0 != ":" }.lowercased()
        let isAddress = device.count == 12 && device.allSatisfy(\.isHexDigit)
        guard isAddress || device == digits else {
            let words = device.split { $0 == "-" || $0 == "_" }.joined(separator: " ")
            return words.isEmpty ? device : words.prefix(1).uppercased() + words.dropFirst()
        }
        let end = device.suffix(4).uppercased()
        let kind = description?.name ?? description?.model ?? description?.family ?? "Sensor"
        return kind.uppercased().hasSuffix(end) ? kind : "\(kind) \(end)"
    }

    /// Seconds until the end of a state whose end the sensor never reports.
    private func offDelay(_ quantity: Quantity, _ description: SensorDescription?) -> Int? {
        guard let model = description?.model, let family = description?.family.flatMap(SensorFamilies.family) else {
            return nil
        }
        return family.impulse(quantity, of: model)
    }

    private func entity(
        _ key: EntityKey, _ id: String, _ sensor: LayoutSensor, _ expiry: Int?, offDelay: Int?
    ) -> DiscoveryDocument.Entity? {
        let quantity = key.quantity
        let details = quantity.details
        guard let platform = quantity.homeAssistantPlatform else { return nil }
        let isEvent = details.kind == .event
        // Events always have Martlet's own format.
        let path = "value_json.\(isEvent ? key.text : layout.key(of: quantity, index: key.index))"
        var entity = DiscoveryDocument.Entity(
            p: platform, unique_id: "\(id)_\(key.text)", name: key.name,
            state_topic: isEvent ? sensor.event : nil,
            // An absent value changes nothing, because Home Assistant ignores an empty state.
            value_template: "{{ \(path) | default('') }}",
            device_class: details.deviceClass, unit_of_measurement: details.unit, state_class: quantity.stateClass,
            suggested_display_precision: details.precision > 0 ? details.precision : nil,
            entity_category: quantity.isDiagnostic ? "diagnostic" : nil,
            enabled_by_default: quantity.isOffByDefault ? false : nil)
        switch details.kind {
        case .measurement, .total:
            entity.expire_after = expiry
        case .text: break
        case .binary:
            entity.payload_on = "1"
            entity.payload_off = "0"
            entity.off_delay = offDelay
        case .event:
            entity.event_types = quantity.eventTypes
            let steps = quantity == .dimmer ? #", "steps": {{ value_json.dimmer_steps | default(0) }}"# : ""
            entity.value_template =
                #"{% if \#(path) is defined %}{"event_type": "{{ \#(path) }}"\#(steps)}{% endif %}"#
        }
        return entity
    }

    private func signalStrength(_ id: String, _ expiry: Int?) -> DiscoveryDocument.Entity {
        DiscoveryDocument.Entity(
            p: "sensor", unique_id: "\(id)_rssi", name: "Signal strength",
            value_template: "{{ value_json.rssi | default('') }}", device_class: "signal_strength",
            unit_of_measurement: "dBm", state_class: "measurement", entity_category: "diagnostic",
            enabled_by_default: false, expire_after: expiry)
    }

    /// On while a limit of the sensor is crossed; the crossed limits are its attributes. A silent sensor is not unavailable
    /// here, as its silence may be the crossing.
    private func limits(of device: String, _ id: String) -> DiscoveryDocument.Entity {
        // As a text of Jinja: ids of sensors have no quotation marks, and addresses neither.
        let key = device.filter { $0 != "'" && $0 != "\\" }
        let crossed = "value_json.sensors.get('\(key)', [])"
        return DiscoveryDocument.Entity(
            p: "binary_sensor", unique_id: "\(id)_limits", name: "Limits", state_topic: topics.limits, qos: 1,
            value_template: "{{ 'ON' if \(crossed) else 'OFF' }}", json_attributes_topic: topics.limits,
            json_attributes_template: "{{ {'limits': \(crossed)} | tojson }}", device_class: "problem",
            availability: [DiscoveryDocument.Availability(topic: topics.status)])
    }

    // MARK: - The gateway

    func gateway(_ information: GatewayInformation) -> [OutgoingMessage] {
        messages(gatewaySubject(information), version: information.version)
    }

    func gatewayTopics(_ information: GatewayInformation) -> [String] { topics(gatewaySubject(information)) }

    private func gatewaySubject(_ information: GatewayInformation) -> Subject {
        var connectivity = DiscoveryDocument.Entity(
            p: "binary_sensor", unique_id: "\(gatewayID)_connectivity", name: "Connectivity",
            state_topic: topics.status, qos: 1, device_class: "connectivity", entity_category: "diagnostic")
        connectivity.payload_on = "online"
        connectivity.payload_off = "offline"
        let entities =
            [("connectivity", connectivity), ("problem", problem)] + GatewayEntity.all.map { ($0.key, entity($0)) }
            + controls.compactMap(entity(of:))
        return Subject(
            id: gatewayID,
            device: DiscoveryDocument.Device(
                ids: [gatewayID], name: configuration.gatewayName ?? "Martlet \(topics.gatewayName)", mf: "Martlet",
                mdl: information.model, sw: information.version, configuration_url: page),
            stateTopic: topics.statistics, qos: 0, availability: nil, entities: entities)
    }

    private func entity(_ entity: GatewayEntity) -> DiscoveryDocument.Entity {
        DiscoveryDocument.Entity(
            p: "sensor", unique_id: "\(gatewayID)_\(entity.key)", name: entity.name, value_template: entity.template,
            device_class: entity.deviceClass,
            unit_of_measurement: entity.unit, state_class: entity.stateClass, entity_category: "diagnostic",
            enabled_by_default: entity.isOffByDefault ? false : nil,
            availability: [DiscoveryDocument.Availability(topic: topics.status)])
    }

    /// On while the gateway shows a problem; the problems are its attributes.
    private var problem: DiscoveryDocument.Entity {
        DiscoveryDocument.Entity(
            p: "binary_sensor", unique_id: "\(gatewayID)_problem", name: "Problem", state_topic: topics.problems,
            qos: 1,
            value_template: "{{ 'ON' if value_json.count > 0 else 'OFF' }}", json_attributes_topic: topics.problems,
            device_class: "problem", entity_category: "diagnostic",
            availability: [DiscoveryDocument.Availability(topic: topics.status)])
    }

    /// Nil for a control that is of no use here.
    private func entity(of control: GatewayControl) -> (String, DiscoveryDocument.Entity)? {
        let isAllowed = commands.contains(control.verb)
        var entity = DiscoveryDocument.Entity(
            unique_id: "\(gatewayID)_\(control.verb)", name: control.verb.capitalized,
            entity_category: control.category,
            command_topic: isAllowed ? topics.commands + control.verb : nil,
            availability: [DiscoveryDocument.Availability(topic: topics.status)])
        switch control.kind {
        case .button:
            guard isAllowed else { return nil }
            (entity.p, entity.device_class, entity.payload_press) = ("button", control.verb, control.request)
        case .update:
            guard hasUpdates else { return nil }
            (entity.p, entity.device_class, entity.qos) = (control.verb, "firmware", 1)
            entity.state_topic = topics.update
            entity.payload_install = isAllowed ? control.request : nil
        }
        return (control.verb, entity)
    }

    // MARK: - Messages

    private func topics(_ subject: Subject) -> [String] {
        let entities = subject.entities.map { topic(of: $0.key, $0.entity, subject.id) }
        return (configuration.discovery.hasDevices ? [topic(of: subject.id)] : [])
            + (configuration.discovery.hasEntities ? entities : [])
    }

    private func topic(of id: String) -> String { "\(configuration.prefix)/device/\(id)/config" }

    private func topic(of key: String, _ entity: DiscoveryDocument.Entity, _ id: String) -> String {
        "\(configuration.prefix)/\(entity.p ?? "sensor")/\(id)/\(key)/config"
    }

    private func messages(_ subject: Subject, version: String) -> [OutgoingMessage] {
        let origin = DiscoveryDocument.Origin(sw: version)
        var messages: [OutgoingMessage] = []
        if configuration.discovery.hasDevices {
            let document = DiscoveryDocument.OfDevice(
                dev: subject.device, o: origin, state_topic: subject.stateTopic, qos: subject.qos,
                availability: subject.availability, availability_mode: subject.availabilityMode,
                cmps: subject.gone.mapValues { .gone(platform: $0) }.merging(
                    subject.entities.map { ($0.key, .entity($0.entity)) }
                ) { _, entity in entity })
            messages.append(message(topic(of: subject.id), document))
        }
        if configuration.discovery.hasEntities {
            for (key, entity) in subject.entities {
                var document = entity
                document.p = nil
                if entity.command_topic == nil { document.state_topic = entity.state_topic ?? subject.stateTopic }
                document.qos = entity.qos ?? subject.qos
                document.availability = entity.availability ?? subject.availability
                document.availability_mode = document.availability.map { _ in "all" }
                document.dev = subject.device
                document.o = origin
                messages.append(message(topic(of: key, entity, subject.id), document))
            }
        }
        return messages.filter { !$0.payload.isEmpty }
    }

    private func message(_ topic: String, _ document: some Encodable) -> OutgoingMessage {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        // All texts and numbers are valid JSON, so this does not fail.
        let payload = (try? encoder.encode(document)).map { [UInt8]($0) } ?? []
        return OutgoingMessage(topic: topic, payload: payload, retain: true)
    }
}
