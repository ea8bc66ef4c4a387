// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Health

/// Tells the gateway's problems: the list on `…/problems`, retained, and each change once on `…/event`.
extension PublisherMachine {
    mutating func announceProblems(at moment: PublisherMoment) {
        // Sparkplug's hosts do not know these topics.
        guard let news = moment.problems, isConnected, sparkplug == nil else { return }
        let payload = ProblemPayload(gateway: topics.gateway, stamp: moment.stamp)
        if gateway.recordProblems(news, at: moment.now) {
            control.append(OutgoingMessage(topic: topics.problems, payload: payload.list(news), retain: true))
        }
        while inFlight.hasRoom, let event = gateway.nextProblemEvent(news) {
            let message = OutgoingMessage(topic: topics.event, payload: payload.event(event))
            publish(message, as: .control(message))
            gateway.told(event)
        }
    }
}
