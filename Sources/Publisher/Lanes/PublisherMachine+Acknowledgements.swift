// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Logging
import MQTT
import Platform
import Readings

/// The broker's answers to messages: acknowledgements and refusals. A device with a refusal on a lane is set aside on
/// this lane alone; only a used-up quota holds up all messages.
extension PublisherMachine {
    /// Some message has waited too long for its acknowledgement.
    func isOverdue(at now: MonotonicTime) -> Bool {
        inFlight.isOverdue(at: now, after: configuration.acknowledgementTimeout)
    }

    /// - Parameter settlements: The broker's answers, by the places of the messages; unknown messages are left out.
    mutating func settle(
        _ settlements: [(place: Int, reason: MQTTReason)], at moment: PublisherMoment, from rows: any DeliveryRows
    ) {
        guard !settlements.isEmpty else { return }
        var delivered: [Int64] = []
        var resumed: [(Lane, Int64)] = []
        for settlement in settlements {
            guard let sent = inFlight.settle(settlement.place, at: moment.now) else { continue }
            let message = sent.content
            if settlement.reason.isFailure {
                refused(message, settlement.reason, at: moment, from: rows)
                continue
            }
            refusals.succeeded()
            switch message {
            case .live(let n, let stream):
                counts.liveAcknowledged += 1
                delivered.append(n)
                live.taken(n, of: stream)
                if live.refused.isTrying(stream.device) { resumed.append((.live, stream.device)) }
            case .history(let numbers, let device, _):
                delivered.append(contentsOf: numbers)
                sizing.delivered()
                if history.refused.isTrying(device) { resumed.append((.history, device)) }
            case .control(let message):
                refusals.taken(message.topic)
                controlAcknowledged(message)
                continue
            case .offline:
                session.goOffline()
                continue
            }
            counts.acknowledged += 1
            if let time = sent.time { counts.times.add(moment.now - time) }
        }
        inFlight.updateOldest()
        guard !delivered.isEmpty else { return }
        want(.acknowledge(delivered))
        history.forget(delivered)
        for (lane, device) in resumed { resume(lane, device, at: moment.now, from: rows) }
    }

    mutating func refused(
        _ message: InFlightWindow.Content, _ reason: MQTTReason, at moment: PublisherMoment, from rows: any DeliveryRows
    ) {
        if reason == .quotaExceeded { return pause(after: message, reason, at: moment) }
        switch message {
        case .offline: session.goOffline()
        case .control(let message):
            // A broker that lets nobody claim a name lets the gateway work all the same.
            guard message.topic != topics.claim else { return }
            guard refusals.refused(message.topic, reason, prefix: topics.prefix) else { return }
            let words = BrokerRefusals.words(reason, of: message.topic, prefix: topics.prefix)
            log(
                .error, "the broker refuses a message",
                ["mqtt.topic": "\(message.topic)", "mqtt.reason": "\(words)"])
        case .live(let n, let stream):
            live.notTaken(of: stream)
            setAside(.live, stream.device, from: n, reason, at: moment, from: rows)
        case .history(let numbers, let device, let octets):
            guard let first = numbers.first else { return }
            guard reason == .packetTooLarge else {
                return setAside(.history, device, from: first, reason, at: moment, from: rows)
            }
            guard numbers.count > 1 else {
                giveUp(first)
                if history.refused.isTrying(device) { resume(.history, device, at: moment.now, from: rows) }
                return
            }
            if sizing.shrink(below: octets) { logShrinking(below: octets, isSaid: true) }
            history.refused.repeatSmaller(device, from: first, at: moment.now)
        }
    }

    /// Nothing is sent for a while. Refused messages go again afterwards.
    private mutating func pause(after message: InFlightWindow.Content, _ reason: MQTTReason, at moment: PublisherMoment)
    {
        switch message {
        case .offline: session.goOffline()
        case .control(let message):
            if let number = message.limit { gateway.returnLimitEvent(number) }
            control.putBack(message)
        case .live(let n, let stream):
            live.notTaken(of: stream)
            live.refused.abandonTry(stream.device)
            live.goBack(to: n - 1, underway: inFlight.rows)
        case .history(let numbers, let device, _):
            history.refused.abandonTry(device)
            if let first = numbers.first { history.goBack(to: first - 1, underway: inFlight.rows) }
        }
        guard let wait = refusals.pause(reason, at: moment.now, spread: moment.spread) else { return }
        log(
            .warning, "the broker takes nothing more for now; readings stay in the journal and are tried again",
            ["mqtt.reason": "\(reason)", "mqtt.next_try": "\(wait.rounded)"])
    }

    /// The broker does not accept the row even alone. In the journal, the row would block its sensor for ever.
    mutating func giveUp(_ n: Int64) {
        want(.drop([n], .refused))
        counts.tooLarge += 1
        refusals.complain("\(MQTTReason.packetTooLarge)")
        guard counts.tooLarge & (counts.tooLarge - 1) == 0 else { return }
        log(
            .error, "reading dropped: the broker does not take a message of its size",
            [
                "reading.n": "\(n)", "mqtt.dropped": "\(counts.tooLarge)",
                "mqtt.reason": "\(MQTTReason.packetTooLarge)",
            ])
    }

    // MARK: - Refused devices

    /// Devices whose readings the broker refuses on either lane; nil: none.
    var refusedSensors: Int? {
        guard !live.refused.isEmpty || !history.refused.isEmpty else { return nil }
        let count = max(live.refused.count, history.refused.count)
        return count == 0 ? nil : count
    }

    /// Leaves the device's rows in the journal until the broker takes the first of them.
    private mutating func setAside(
        _ lane: Lane, _ device: Int64, from n: Int64, _ reason: MQTTReason, at moment: PublisherMoment,
        from rows: any DeliveryRows
    ) {
        let news =
            switch lane {
            case .live: live.refused.refuse(device, row: n, reason, at: moment.now, spread: moment.spread)
            case .history: history.refused.refuse(device, row: n, reason, at: moment.now, spread: moment.spread)
            }
        let name = name(of: device, from: rows)
        refusals.complain("readings of \(name) refused: \(reason)")
        guard let news else { return }
        log(
            .error, "the broker refuses a sensor's readings; they stay in the journal and are tried again",
            [
                "mqtt.lane": "\(lane)", "mqtt.reason": "\(reason)",
                "mqtt.refusals": "\(news.refusals)", "mqtt.next_try": "\(news.wait.rounded)",
            ].merging(metadata(of: device, from: rows)) { $1 })
    }

    mutating func resume(_ lane: Lane, _ device: Int64, at now: MonotonicTime, from rows: any DeliveryRows) {
        let wasRefused: Bool
        switch lane {
        case .live:
            guard let first = live.refused.first(of: device) else { return }
            wasRefused = live.refused.resume(device, at: now)
            live.goBack(to: first - 1, underway: inFlight.rows)
        case .history:
            guard let first = history.refused.first(of: device) else { return }
            wasRefused = history.refused.resume(device, at: now)
            history.goBack(to: first - 1, underway: inFlight.rows)
        }
        guard wasRefused else { return }
        log(
            .notice, "the broker takes a sensor's readings again",
            metadata(of: device, from: rows).merging(["mqtt.lane": "\(lane)"]) { $1 })
    }

    /// The refused device with the next turn. A device with messages in flight waits for them.
    func nextRefused(_ lane: Lane) -> (device: Int64, until: MonotonicTime)? {
        switch lane {
        case .live:
            guard !live.refused.isEmpty else { return nil }
            return live.refused.nextDue { inFlight.isBusy(with: $0, on: .live) }
        case .history:
            guard !history.refused.isEmpty else { return nil }
            return history.refused.nextDue { inFlight.isBusy(with: $0, on: .history) }
        }
    }

    /// - Parameter isSaid: The broker says that a message is too large; otherwise the broker only hung up with large
    ///   messages in flight.
    mutating func logShrinking(below octets: Int, isSaid: Bool) {
        let sizes: Logger.Metadata = ["mqtt.octets": "\(octets)", "mqtt.history_octets": "\(sizing.limit)"]
        if isSaid {
            log(
                .warning, "the broker says that messages of this size are too large; history goes in smaller ones",
                sizes)
        } else {
            log(
                .warning,
                "connections end while history is on its way, perhaps because its messages are too large; it goes in smaller ones",
                sizes.merging(["mqtt.connections": "\(sizing.sizes.fruitlessConnections)"]) { $1 })
        }
    }
}
