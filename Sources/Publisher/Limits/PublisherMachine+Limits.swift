// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Limits
import Readings

/// Tells the limits: the crossed ones on `…/limits`, retained, and each event once on `…/event`.
extension PublisherMachine {
    mutating func announceLimits(at moment: PublisherMoment) {
        // Sparkplug's hosts do not know these topics.
        guard let news = moment.limits, isConnected, sparkplug == nil else { return }
        let payload = LimitPayload(gateway: topics.gateway)
        if gateway.recordLimits(news) {
            control.append(OutgoingMessage(topic: topics.limits, payload: payload.list(news.crossed), retain: true))
        }
        while inFlight.hasRoom, let event = gateway.nextLimitEvent(news) {
            let name = descriptions.name(of: event.crossing.sensor)
            var message = OutgoingMessage(topic: topics.event, payload: payload.event(event, name: name))
            message.limit = event.number
            publish(message, as: .control(message))
            gateway.sentLimitEvent(event.number)
        }
    }
}
