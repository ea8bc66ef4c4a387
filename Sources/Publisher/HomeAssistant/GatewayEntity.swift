// SPDX-License-Identifier: Apache-2.0

/// An entity of the gateway itself, from its messages on `…/gw/<gw>/stats`.
struct GatewayEntity: Sendable {
    var key: String
    var name: String
    var template: String
    var unit: String?
    var deviceClass: String?
    var stateClass: String?
    /// Home Assistant shows the entity only on a person's wish.
    var isOffByDefault = false

    static let all: [GatewayEntity] = [
        GatewayEntity(
            key: "buffered", name: "Buffered readings", template: "{{ value_json.buffered + value_json.waiting }}",
            stateClass: "measurement"),
        // The gateway leaves this out if nothing waits.
        GatewayEntity(
            key: "oldest_age", name: "Oldest buffered reading",
            template: "{{ value_json.oldest_age_seconds | default(0) | round(0) }}", unit: "s", deviceClass: "duration",
            stateClass: "measurement"),
        GatewayEntity(key: "clock", name: "Clock", template: "{{ value_json.clock }}"),
        GatewayEntity(
            key: "received", name: "Readings received", template: "{{ value_json.received }}",
            stateClass: "total_increasing"),
        GatewayEntity(
            key: "dropped", name: "Readings dropped", template: "{{ value_json.dropped.values() | sum }}",
            stateClass: "total_increasing"),
        GatewayEntity(
            key: "slots_used", name: "Connection slots used", template: "{{ value_json.slots_used | default('') }}",
            stateClass: "measurement"),
        // The gateway leaves this out until the controller has refused a link.
        GatewayEntity(
            key: "slots", name: "Connection slots", template: "{{ value_json.slots | default('') }}",
            stateClass: "measurement", isOffByDefault: true),
        GatewayEntity(
            key: "uptime", name: "Uptime", template: "{{ (value_json.up_ms / 1000) | round(0) }}", unit: "s",
            deviceClass: "duration", stateClass: "total_increasing", isOffByDefault: true),
        GatewayEntity(
            key: "history_mode", name: "History", template: "{{ value_json.history_mode }}", isOffByDefault: true),
    ]
}
