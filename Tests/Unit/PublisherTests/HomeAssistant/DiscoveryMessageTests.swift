// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import GatewayBench
@testable import Publisher
@testable import Readings

/// The messages to Home Assistant, octet by octet where octets matter.
@Suite("Home Assistant: the messages")
struct DiscoveryMessageTests {
    private static func messages(
        _ discovery: HomeAssistantConfiguration.Discovery = .device, layout: MQTTConfiguration.Layout = .martlet,
        gateway: String = "gw-3f2a1c"
    ) -> DiscoveryMessages {
        var configuration = HomeAssistantConfiguration()
        configuration.discovery = discovery
        return DiscoveryMessages(
            configuration: configuration, layout: layout.messages(Topics(prefix: "martlet", gateway: gateway)))
    }

    private static let fridge = SensorDescription(
        address: "CB:B8:33:4C:88:4F", manufacturer: "Ruuvi Innovations", model: "RuuviTag")

    private static func said(_ text: String, _ description: SensorDescription? = fridge) throws -> [String: Any] {
        let messages = messages().sensor("cbb8334c884f", DiscoveredSensor(text), description, version: "1.0.0")
        #expect(messages.map(\.topic) == ["homeassistant/device/martlet_cbb8334c884f/config"])
        return try #require(messages.first).object
    }

    @Test func `a device's message is the one of the documentation`() throws {
        let said = try #require(
            Self.messages().sensor(
                "cbb8334c884f", DiscoveredSensor("temperature;60"), Self.fridge, version: "1.0.0"
            ).first)
        #expect(
            String(decoding: said.payload, as: UTF8.self) == """
                {"availability":[{"topic":"martlet/gw/gw-3f2a1c/status"},{"topic":"martlet/dev/cbb8334c884f/availability"}],\
                "availability_mode":"all","cmps":{"rssi":{"device_class":"signal_strength","enabled_by_default":false,\
                "entity_category":"diagnostic","expire_after":600,"name":"Signal strength","p":"sensor",\
                "state_class":"measurement","unique_id":"martlet_cbb8334c884f_rssi","unit_of_measurement":"dBm",\
                "value_template":"{{ value_json.rssi | default('') }}"},"temperature":{"device_class":"temperature",\
                "expire_after":600,"name":"Temperature","p":"sensor","state_class":"measurement",\
                "suggested_display_precision":1,"unique_id":"martlet_cbb8334c884f_temperature","unit_of_measurement":"°C",\
                "value_template":"{{ value_json.temperature | default('') }}"}},"dev":{"cns":[["bluetooth",\
                "CB:B8:33:4C:88:4F"]],"ids":["martlet_cbb8334c884f"],"mdl":"RuuviTag","mf":"Ruuvi Innovations",\
                "name":"RuuviTag 884F","via_device":"martlet_gw-3f2a1c"},"o":{"name":"Martlet","sw":"1.0.0"},"qos":1,\
                "state_topic":"martlet/dev/cbb8334c884f/state"}
                """)
    }

    @Test func `each entity's message says all by itself`() throws {
        let messages = Self.messages(.entity).sensor(
            "cbb8334c884f", DiscoveredSensor("button,temperature_2,window;60"), Self.fridge, version: "1.0.0")
        #expect(
            messages.map(\.topic) == [
                "homeassistant/event/martlet_cbb8334c884f/button/config",
                "homeassistant/sensor/martlet_cbb8334c884f/temperature_2/config",
                "homeassistant/binary_sensor/martlet_cbb8334c884f/window/config",
                "homeassistant/sensor/martlet_cbb8334c884f/rssi/config",
            ])
        for message in messages {
            let object = try message.object
            #expect(object["p"] == nil && object["qos"] as? Int == 1 && object["availability_mode"] as? String == "all")
            #expect((object["availability"] as? [Any])?.count == 2)
            #expect((object["dev"] as? [String: Any])?["name"] as? String == "RuuviTag 884F")
            #expect((object["o"] as? [String: Any])?["name"] as? String == "Martlet")
            let topic = message.topic.contains("/event/") ? "event" : "state"
            #expect(object["state_topic"] as? String == "martlet/dev/cbb8334c884f/\(topic)")
        }
        #expect(
            Self.messages(.both).sensor("a", DiscoveredSensor("temperature;0"), nil, version: "1").map(\.topic) == [
                "homeassistant/device/martlet_a/config", "homeassistant/sensor/martlet_a/temperature/config",
                "homeassistant/sensor/martlet_a/rssi/config",
            ])
    }

    @Test func `what is yes or no, an event, a total, a text and a list is told as that`() throws {
        let said = try Self.said("button,charger_state,dimmer,energy,moisture_detected,rr_interval,volume;60")
        let binary = try said.component("moisture_detected")
        #expect(binary["p"] as? String == "binary_sensor" && binary["device_class"] as? String == "moisture")
        #expect(binary["payload_on"] as? String == "1" && binary["payload_off"] as? String == "0")
        #expect(binary["expire_after"] == nil, "a door that stays shut is not unknown")
        let event = try said.component("button")
        #expect(event["p"] as? String == "event" && event["state_topic"] as? String == "martlet/dev/cbb8334c884f/event")
        #expect((event["event_types"] as? [String])?.contains("long_press") == true)
        #expect(
            event["value_template"] as? String
                == #"{% if value_json.button is defined %}{"event_type": "{{ value_json.button }}"}{% endif %}"#)
        #expect((try said.component("dimmer")["value_template"] as? String)?.contains(#""steps": "#) == true)
        #expect(try said.component("energy")["state_class"] as? String == "total_increasing")
        #expect(try said.component("volume")["state_class"] as? String == "total")
        let text = try said.component("charger_state")
        #expect(text["state_class"] == nil && text["unit_of_measurement"] == nil)
        #expect(!said.components.contains("rr_interval"))
    }

    @Test(arguments: [
        ("govee", "H5121", "motion", 60), ("govee", "H5124", "vibration", 60), ("govee", "H5127", "motion", nil),
    ])
    func `a state whose end is never told is off again by itself`(
        _ family: String, _ model: String, _ quantity: String, _ seconds: Int?
    ) throws {
        let description = SensorDescription(model: model, family: family)
        let entity = try Self.said("\(quantity);0", description).component(quantity)
        #expect(entity["off_delay"] as? Int == seconds)
    }

    @Test func `a sensor that speaks seldom, or whose interval is not known, does not expire`() throws {
        #expect(try Self.said("temperature;0").component("temperature")["expire_after"] == nil)
        var seldom = Self.fridge
        seldom.speaksSeldom = true
        #expect(try Self.said("temperature;60", seldom).component("temperature")["expire_after"] == nil)
        #expect(try Self.said("temperature;3600").component("temperature")["expire_after"] as? Int == 36_000)
    }

    @Test(arguments: [
        ("cbb8334c884f", SensorDescription(address: "CB:B8:33:4C:88:4F", name: "Fridge"), "Fridge 884F"),
        ("cbb8334c884f", SensorDescription(address: "CB:B8:33:4C:88:4F", name: "ATC_4C884F"), "ATC_4C884F"),
        ("cbb8334c884f", SensorDescription(family: "Ruuvi"), "Ruuvi 884F"),
        ("cbb8334c884f", nil, "Sensor 884F"),
        ("living-room_2", SensorDescription(address: "CB:B8:33:4C:88:4F", name: "ATC"), "Living room 2"),
        ("---", nil, "---"),
    ])
    func `an id that somebody chose is the name, else what the sensor calls itself`(
        device: String, description: SensorDescription?, name: String
    ) throws {
        let message = try #require(
            Self.messages().sensor(device, DiscoveredSensor("temperature;0"), description, version: "1").first)
        #expect((try message.object["dev"] as? [String: Any])?["name"] as? String == name)
    }

    @Test func `with the layout of Theengs the keys and topics are theirs`() throws {
        let message = try #require(
            Self.messages(layout: .theengs).sensor(
                "cbb8334c884f", DiscoveredSensor("button,temperature,temperature_2;0"), Self.fridge, version: "1"
            ).first)
        let said = try message.object
        #expect(said["state_topic"] as? String == "home/gw-3f2a1c/BTtoMQTT/CBB8334C884F")
        #expect(
            try said.component("temperature")["value_template"] as? String == "{{ value_json.tempc | default('') }}")
        #expect(
            try said.component("temperature_2")["value_template"] as? String == "{{ value_json.tempc2 | default('') }}"
        )
        #expect((try said.component("button")["value_template"] as? String)?.contains("value_json.button") == true)
    }

    @Test func `the gateway is a device of its own, and no sensor's`() throws {
        let message = try #require(Self.messages().gateway(Sample.information).first)
        #expect(message.topic == "homeassistant/device/martlet_gw-3f2a1c/config")
        let said = try message.object
        #expect(said["availability"] == nil, "who shows that it is offline must not be unavailable")
        let connectivity = try said.component("connectivity")
        #expect(connectivity["state_topic"] as? String == "martlet/gw/gw-3f2a1c/status")
        #expect(connectivity["payload_off"] as? String == "offline")
        #expect(said.components.isSuperset(of: ["buffered", "oldest_age", "clock", "dropped"]))
        let problem = try said.component("problem")
        #expect(problem["p"] as? String == "binary_sensor" && problem["device_class"] as? String == "problem")
        #expect(problem["state_topic"] as? String == "martlet/gw/gw-3f2a1c/problems")
        #expect(problem["json_attributes_topic"] as? String == "martlet/gw/gw-3f2a1c/problems")
        #expect(Self.messages(gateway: "kitchen").gatewayID == "martlet_gw-kitchen")
        let texts = try #require(said["cmps"] as? [String: [String: Any]]).values.compactMap {
            $0["unique_id"] as? String
        }
        #expect(Set(texts).count == said.components.count)
    }

    @Test func `what a sensor has is bounded, and a damaged fact is as good as none`() {
        var sensor = DiscoveredSensor()
        let fields = (0...UInt8.max).map { Field(.temperature, .int(1), index: $0) }
        let news = sensor.learn(fields, of: .init(1, at: 0), isDoubtful: false, at: 0)
        #expect(news.isToKeep && news.isToTell)
        #expect(sensor.entities.count == DiscoveredSensor.maximumEntities)
        let newsAgain = sensor.learn(fields, of: .init(2, at: 1), isDoubtful: false, at: 1)
        #expect(newsAgain == DiscoveredSensor.News())
        #expect(DiscoveredSensor(sensor.text) == DiscoveredSensor(DiscoveredSensor(sensor.text).text))
        #expect(DiscoveredSensor(sensor.text).entities == sensor.entities)
        for text in ["", ";", ";;;", "temperature_0;60", "nothing;61", "temperature_999;-1", ",,,_,_1;x"] {
            #expect(DiscoveredSensor(text).entities.isEmpty, "\(text)")
        }
        #expect(DiscoveredSensor("temperature;7").interval == 0)
    }

    @Test(arguments: Quantity.allCases)
    func `each quantity has what Home Assistant wants of its kind`(quantity: Quantity) throws {
        let platform = quantity.homeAssistantPlatform
        #expect((quantity.details.kind == .event) == !quantity.eventTypes.isEmpty)
        if platform == "sensor", quantity.stateClass != nil { #expect(quantity.details.kind != .text) }
        if platform == "binary_sensor" { #expect(quantity.stateClass == nil && quantity.details.unit == nil) }
        #expect(EntityKey(quantity.key)?.quantity == quantity)
        #expect(EntityKey(quantity.key + "_2") == EntityKey(Field(quantity, .int(0), index: 2)))
    }
}
