// SPDX-License-Identifier: Apache-2.0

/// How Home Assistant is told of sensors, by its MQTT discovery.
package struct HomeAssistantConfiguration: Equatable, Sendable {
    package enum Discovery: String, Sendable {
        case off
        /// One message a device: Home Assistant 2024.12 and later.
        case device
        /// One message an entity: all versions.
        case entity
        /// Both, for houses with an old Home Assistant and a new one.
        case both

        var hasDevices: Bool { self == .device || self == .both }
        var hasEntities: Bool { self == .entity || self == .both }
    }

    package var discovery = Discovery.off
    /// First part of the topics on which Home Assistant looks for discovery messages.
    package var prefix = "homeassistant"
    /// Where Home Assistant says that it has started.
    package var statusTopic = "homeassistant/status"
    /// The gateway's name for people; nil where nobody gave one.
    package var gatewayName: String?

    package init() {}
}
