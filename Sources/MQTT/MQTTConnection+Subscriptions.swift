// SPDX-License-Identifier: Apache-2.0

import CMosquitto
import Glibc

/// Messages from the broker: subscriptions and incoming messages. Only if ``MQTTOptions/incoming`` sets the limits.
extension MQTTConnection {
    /// Asks the broker for messages; ``takeSubscriptionResults()`` has the broker's answer to each filter. Messages may
    /// come before the answer. MQTT 5.0, 3.8.
    ///
    /// A broker that has announced that it takes no wildcards would end the connection over a wildcard. The call
    /// refuses such a filter with 0xA2. MQTT 5.0, 3.2.2.3.11.
    ///
    /// - Throws: ``MQTTFailure/tooLarge`` if the filters do not fit into a packet that the broker takes; the connection
    ///   then continues. `unusable` on a connection that takes no messages.
    package func subscribe(_ subscriptions: [MQTTSubscription]) throws(MQTTFailure) {
        guard inbox != nil else { throw .unusable("this connection takes no messages") }
        var rest = subscriptions[...]
        if acceptance?.wildcardsAvailable == false {
            let refused = subscriptions.filter(\.filter.hasWildcards).map {
                SubscriptionResult(filter: $0.filter, outcome: .refused(.wildcardsNotSupported))
            }
            subscriptionResults.append(contentsOf: refused)
            rest.removeAll(where: \.filter.hasWildcards)
        }
        // The library has one set of options for each packet.
        while let first = rest.first {
            let alike = rest.prefix { $0.quality == first.quality && $0.options == first.options }
            rest = rest.dropFirst(alike.count)
            let filters = alike.map(\.filter)
            try checkSize(of: filters, octetsEach: 3)
            let id = try ask(filters) { handle, id, list in
                mosquitto_subscribe_multiple(
                    handle, &id, Int32(filters.count), list, Int32(first.quality.rawValue), Int32(first.options), nil)
            }
            input?.expectSubscription(id, filters: filters.count)
        }
    }

    /// Ends the subscriptions with these filters. Messages whose delivery has begun may still come. MQTT 5.0, 3.10.
    ///
    /// - Throws: The errors of ``subscribe(_:)``.
    package func unsubscribe(_ filters: [TopicFilter]) throws(MQTTFailure) {
        guard inbox != nil else { throw .unusable("this connection takes no messages") }
        guard !filters.isEmpty else { return }
        try checkSize(of: filters, octetsEach: 2)
        let id = try ask(filters) { handle, id, list in
            mosquitto_unsubscribe_multiple(handle, &id, Int32(filters.count), list, nil)
        }
        input?.expectEnd(id, filters: filters.count)
    }

    /// The broker has not answered a SUBSCRIBE or UNSUBSCRIBE yet.
    package var awaitsSubscriptions: Bool { !requests.isEmpty }

    /// The broker's answers to subscriptions since the last call.
    package func takeSubscriptionResults() -> [SubscriptionResult] {
        defer { subscriptionResults.removeAll(keepingCapacity: true) }
        return subscriptionResults
    }

    /// The messages since the last call, in their order. Call often: a message for which there is no room is dropped,
    /// see ``droppedMessages``.
    package func takeMessages() -> [IncomingMessage] { inbox?.take() ?? [] }

    /// Messages that came on this connection and were not handed over.
    package var droppedMessages: DroppedMessages { inbox?.dropped ?? DroppedMessages() }

    /// - Returns: The packet's identifier.
    private func ask(
        _ filters: [TopicFilter],
        _ send: (OpaquePointer, inout Int32, UnsafePointer<UnsafeMutablePointer<CChar>?>?) -> Int32
    ) throws(MQTTFailure) -> Int32 {
        let texts = filters.map { strdup($0.text) }
        defer { for text in texts { free(text) } }
        var id: Int32 = 0
        let code = texts.withUnsafeBufferPointer { send(handle, &id, $0.baseAddress) }
        try check(code)
        requests[id] = filters
        return id
    }

    /// - Parameter octetsEach: Octets of a filter beside its text.
    private func checkSize(of filters: [TopicFilter], octetsEach: Int) throws(MQTTFailure) {
        // The packet's identifier, and with MQTT 5 no properties.
        let length = filters.reduce(version == .v5 ? 3 : 2) { $0 + $1.text.utf8.count + octetsEach }
        guard Self.octets(ofPacket: length) <= acceptance?.maximumPacketSize ?? .max else { throw .tooLarge }
    }

    // MARK: - From the library

    func setMessageCallbacks() {
        mosquitto_message_v5_callback_set(handle) { _, context, message, properties in
            guard let message else { return }
            MQTTConnection.from(context)?.inbox?.receive(IncomingMessage(message.pointee, properties))
        }
        mosquitto_subscribe_v5_callback_set(handle) { _, context, id, count, codes, _ in
            MQTTConnection.from(context)?.subscribed(
                id, UnsafeBufferPointer(start: codes, count: codes == nil ? 0 : max(Int(count), 0)))
        }
        mosquitto_unsubscribe_v5_callback_set(handle) { _, context, id, _ in
            MQTTConnection.from(context)?.unsubscribed(id)
        }
    }

    private func subscribed(_ id: Int32, _ codes: UnsafeBufferPointer<Int32>) {
        guard let filters = requests.removeValue(forKey: id) else { return }
        for (filter, code) in zip(filters, codes) {
            let code = UInt8(truncatingIfNeeded: code)
            let outcome = QualityOfService(rawValue: code).map { SubscriptionResult.Outcome.granted($0) }
            subscriptionResults.append(
                SubscriptionResult(filter: filter, outcome: outcome ?? .refused(MQTTReason(rawValue: code))))
        }
    }

    private func unsubscribed(_ id: Int32) {
        guard let filters = requests.removeValue(forKey: id) else { return }
        subscriptionResults.append(contentsOf: filters.map { SubscriptionResult(filter: $0, outcome: .ended) })
    }
}
