// SPDX-License-Identifier: Apache-2.0

/// How sensors are announced to Home Assistant, by its MQTT discovery.
package struct HomeAssistantConfiguration: Equatable, Sendable {
    package enum Discovery: String, Sendable {
        case off
        /// A message for each device: Home Assistant 2024.12 and later.
        case device
        /// A message for each entity: all versions.
        case entity
        /// Both kinds of messages, for houses with an old and a new Home Assistant.
        case both

        var hasDevices: Bool { self == .device || self == .both }
        var hasEntities: Bool { self == .entity || self == .both }
    }

    package var discovery = Discovery.off
    /// First part of the topics on which Home Assistant looks for discovery messages.
    package var prefix = "homeassistant"
    /// The topic on which Home Assistant reports its start.
    package var statusTopic = "homeassistant/status"
    /// The gateway's name for people; nil without a name.
    package var gatewayName: String?
    /// The address of the gateway's page; nil without a page that other machines reach.
    package var page: String?

    package init() {}
}
