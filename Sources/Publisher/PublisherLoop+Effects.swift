// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Logging
import MQTT
import Platform
import Readings

/// Passes input to the machine, and carries out the machine's wishes.
extension PublisherLoop {
    func moment(_ now: MonotonicTime? = nil) -> PublisherMoment {
        let stamp = clock.stamp()
        return PublisherMoment(
            now: now ?? clock.now, stamp: stamp, anchor: clock.anchor, slots: surroundings.slots(),
            update: surroundings.update(),
            radio: surroundings.radio(), problems: surroundings.problems(),
            limits: surroundings.limits(),
            spread: randomness.number(in: Self.spread),
            wall: stamp.unixMilliseconds ?? clock.systemMilliseconds)
    }

    func publish(to connection: MQTTConnection, at now: MonotonicTime) throws(MQTTFailure) {
        let moment = moment(now)
        repeat {
            machine.publish(at: moment, from: journal, isWriting: connection.wantsWrite)
            try perform(on: connection)
        } while machine.hasMore
    }

    // MARK: - Incoming messages

    private static let subscriptionFact = "mqtt:subscribed"

    /// A broker may keep a session with subscriptions of this run or an earlier run of the gateway.
    static func mayHaveSubscribed(_ facts: any FactSource) -> Bool {
        facts.identifier(for: subscriptionFact)?.isEmpty == false
    }

    func subscribe(on connection: MQTTConnection) throws(MQTTFailure) {
        var wanted = configuration.subscriptions(machine.topics)
        // A session would keep claims of a time when their gateways lived.
        if claims, let filter = try? TopicFilter(machine.topics.claim) {
            wanted.append(MQTTSubscription(filter, quality: .atMostOnce))
        }
        if wanted.isEmpty == Self.mayHaveSubscribed(journal) {
            journal.setIdentifier(wanted.isEmpty ? "" : "1", for: Self.subscriptionFact)
        }
        try subscribe(to: wanted, on: connection)
    }

    private func subscribe(to wanted: [MQTTSubscription], on connection: MQTTConnection) throws(MQTTFailure) {
        // A broker that hangs up at the subscription of the claim would hang up at that of the statistics.
        let wanted = claims ? wanted : wanted.filter { $0.filter.text != machine.topics.statistics }
        guard !wanted.isEmpty else { return }
        do {
            try connection.subscribe(wanted)
        } catch .tooLarge {
            logger.warning("the broker takes no packets that are long enough to subscribe")
        }
    }

    func takeMessages(from connection: MQTTConnection) {
        for result in connection.takeSubscriptionResults() {
            guard case .refused(let reason) = result.outcome else { continue }
            // Without the claim nothing is missing but the look for a namesake.
            guard ![machine.topics.claim, machine.topics.statistics].contains(result.filter.text) else {
                logger.info(
                    "the broker keeps the gateway from hearing a copy of itself",
                    metadata: ["mqtt.topic": "\(result.filter)"])
                continue
            }
            logger.warning(
                "the broker refuses a subscription",
                metadata: ["mqtt.topic": "\(result.filter)", "mqtt.reason": "\(reason)"])
        }
        let messages = connection.takeMessages()
        guard !messages.isEmpty else { return }
        let moment = moment()
        for message in messages { machine.received(message, at: moment) }
    }

    func settle(_ connection: MQTTConnection) {
        guard connection.hasSettlements else { return }
        let settlements = connection.takeSettlements().compactMap { settlement in
            // Messages with QoS 0 are settled, too.
            places.take(settlement.messageID).map { (place: $0, reason: settlement.reason) }
        }
        guard !settlements.isEmpty else { return }
        machine.settle(settlements, at: moment(), from: journal)
        perform()
    }

    /// Carries out all wishes of the machine; throws the reason if a message could not be published.
    func perform(on connection: MQTTConnection) throws(MQTTFailure) {
        var failure: MQTTFailure?
        machine.takeEffects(inPlaceOf: &effects)
        while !effects.isEmpty {
            for effect in effects {
                do throws(MQTTFailure) {
                    switch effect {
                    case .publish(let message, let properties, let place):
                        if failure == nil { try publish(message, properties, place, on: connection) }
                    case .mention(let message):
                        if failure == nil { try mention(message, on: connection) }
                    case .subscribe(let wanted): try subscribe(to: wanted, on: connection)
                    default: perform(effect)
                    }
                } catch {
                    failure = error
                }
            }
            // The machine may have to give up an unsent message.
            machine.takeEffects(inPlaceOf: &effects)
        }
        if let failure { throw failure }
    }

    /// Carries out all wishes, when no message can have been published.
    func perform() {
        machine.takeEffects(inPlaceOf: &effects)
        for effect in effects { perform(effect) }
        effects.removeAll(keepingCapacity: true)
    }

    private func perform(_ effect: PublisherEffect) {
        switch effect {
        case .publish, .mention, .subscribe: break
        case .tellOwner(let gateway, let device): surroundings.tellOwner(device, gateway)
        case .acknowledge(let rows): journal.acknowledge(rows)
        case .drop(let rows, let reason): journal.drop(rows, reason: reason)
        case .setOffset(let offset, let boot): journal.setOffset(offset, ofBoot: boot)
        case .noteRetained(let topic, let device): RetainedTopics(journal).record(topic, of: device)
        case .forgetRetained(let topic): RetainedTopics(journal).forget(topic)
        case .perform(let request): surroundings.perform(request)
        case .keep(let value, let key): journal.setIdentifier(value, for: key)
        case .limitTold(let number): surroundings.limitTold(number)
        case .log(let level, let message, let metadata): logger.log(level: level, "\(message)", metadata: metadata)
        }
    }

    private func publish(
        _ message: OutgoingMessage, _ properties: MessageProperties?, _ place: Int, on connection: MQTTConnection
    ) throws(MQTTFailure) {
        do {
            let id = try connection.publish(
                payload(of: message), to: message.topic, qos: Int32(message.quality.rawValue),
                retain: message.retain, properties: properties)
            try places.record(id, place)
            machine.used(message.order)
            machine.sent(place, at: clock.now)
        } catch .tooLarge {
            machine.tooLarge(place, at: moment(), from: journal)
        } catch .topic(let fault) {
            machine.unnamed(place, fault, at: moment(), from: journal)
        }
    }

    /// Asks the machine only if it adds a part, because the call copies the machine.
    private func payload(of message: OutgoingMessage) -> [UInt8] {
        message.order == nil ? message.payload : machine.payload(of: message, at: moment())
    }

    private func mention(_ message: OutgoingMessage, on connection: MQTTConnection) throws(MQTTFailure) {
        do {
            try places.record(try connection.publish(payload(of: message), to: message.topic, qos: 0))
            machine.used(message.order)
        } catch .tooLarge {
            machine.tooLarge(message, at: moment(), from: journal)
        } catch .topic(let fault) {
            machine.unnamed(message, fault)
        }
    }
}
