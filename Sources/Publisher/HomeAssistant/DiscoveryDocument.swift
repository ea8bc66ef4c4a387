// SPDX-License-Identifier: Apache-2.0

/// The messages of Home Assistant's MQTT discovery, with its keys. https://www.home-assistant.io/integrations/mqtt
enum DiscoveryDocument {
    /// A single message for a device and all its entities.
    struct OfDevice: Encodable {
        var dev: Device
        var o: Origin
        // The defaults of all entities.
        var state_topic: String
        var qos: Int
        var availability: [Availability]?
        var availability_mode: String?
        /// By a name that is unique in the device.
        var cmps: [String: Component]
    }

    /// The part of a device's message under an entity's name.
    enum Component: Encodable {
        case entity(Entity)
        /// The entity is gone: a message with only the platform announces this.
        case gone(platform: String)

        private enum CodingKeys: String, CodingKey { case p }

        func encode(to encoder: any Encoder) throws {
            switch self {
            case .entity(let entity): try entity.encode(to: encoder)
            case .gone(let platform):
                var container = encoder.container(keyedBy: CodingKeys.self)
                try container.encode(platform, forKey: .p)
            }
        }
    }

    /// The owner of an entity.
    struct Device: Encodable, Equatable {
        var ids: [String]
        /// Pairs like `["bluetooth", "C4:7C:8D:00:11:22"]`; nil without an address.
        var cns: [[String]]?
        var name: String
        var mf: String?
        var mdl: String?
        var sw: String?
        var via_device: String?
        var suggested_area: String?
        /// The gateway's page.
        var configuration_url: String?
    }

    /// The source of the message.
    struct Origin: Encodable, Equatable {
        var name = "Martlet"
        var sw: String
    }

    struct Availability: Encodable, Equatable {
        var topic: String
    }

    /// An entity: a component of a device's message, or with `dev` and `o` a message of its own.
    struct Entity: Encodable {
        /// `sensor`, `binary_sensor`, `event`. Left out in a message of its own, because the topic contains the
        /// platform.
        var p: String?
        var unique_id: String
        var name: String
        var state_topic: String?
        var qos: Int?
        var value_template: String?
        /// Each key of the object on this topic becomes an attribute.
        var json_attributes_topic: String?
        /// Makes the object of attributes from that topic.
        var json_attributes_template: String?
        var device_class: String?
        var unit_of_measurement: String?
        var state_class: String?
        var suggested_display_precision: Int?
        var entity_category: String?
        var enabled_by_default: Bool?
        /// Seconds.
        var expire_after: Int?
        /// Seconds after which a binary sensor is off again by itself.
        var off_delay: Int?
        var payload_on: String?
        var payload_off: String?
        var event_types: [String]?
        // For a button.
        var command_topic: String?
        var payload_press: String?
        /// For an update.
        var payload_install: String?
        /// All these topics have to say `online`.
        var availability: [Availability]?
        var availability_mode: String?
        var dev: Device?
        var o: Origin?
    }
}
