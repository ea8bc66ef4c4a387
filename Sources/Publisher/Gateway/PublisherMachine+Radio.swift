// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import MQTT

/// Reports each repair of the radio once.
extension PublisherMachine {
    mutating func announceRadio(_ events: [RadioHealth.Event], boot: String) {
        // Sparkplug's hosts do not know this topic.
        guard let last = events.last, gateway.isUntold(last), isConnected, sparkplug == nil else { return }
        for event in events where gateway.isUntold(event) {
            guard inFlight.hasRoom else { return }
            let payload = Self.payload(of: event, gateway: topics.gateway, boot: boot)
            let message = OutgoingMessage(topic: topics.event, payload: payload)
            publish(message, as: .control(message))
            gateway.told(event)
        }
    }

    private static func payload(of event: RadioHealth.Event, gateway: String, boot: String) -> [UInt8] {
        var writer = PayloadWriter()
        writer.literal("{\"v\":1,\"gw\":")
        writer.string(gateway)
        writer.literal(",\"event\":\"radio\",\"outcome\":")
        writer.string(event.outcome.rawValue)
        if let step = event.step {
            writer.literal(",\"step\":")
            writer.string(step.rawValue)
        }
        writer.literal(",\"reason\":")
        writer.string(String(event.reason.prefix(256)))
        if let lasted = event.lastedMs {
            writer.literal(",\"lasted_ms\":")
            writer.integer(lasted)
        }
        writer.literal(",\"boot\":")
        writer.string(boot)
        writer.literal(",\"up_ms\":")
        writer.integer(event.uptimeMs)
        writer.literal("}")
        return writer.octets
    }
}
