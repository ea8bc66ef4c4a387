// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import CLinux
import Glibc
import MQTT
import Platform
import Publisher

/// Serves the connections of a share of the gateways, on one thread with one epoll(7).
final class SimulationLoop {
    private struct Slot {
        var gateway: SimulatedGateway
        var values: SimulatedValues
        /// The broker for the next attempt.
        var broker: Int
        var connection: MQTTConnection?
        var wasAccepted = false
        var wantsWrite = false
        var nextTick = MonotonicTime.zero
    }

    /// The tag of the loop's own wake-up, among the tags of the slots.
    private static let wakeUpTag = UInt64.max
    private static let reportTime: Duration = .milliseconds(100)

    private let plan: SimulationPlan
    private let brokers: [BrokerAddress]
    private let mailbox: LoopMailbox
    private let connector: Connector
    private let start: MonotonicTime
    private let epoll: Int32
    private var slots: [Slot]
    /// When each slot has its next turn without an event. In an array of their own, since the loop looks at all of them
    /// each time.
    private var deadlines: [MonotonicTime]
    private var counts = SimulationCounts()
    private var writer = PayloadWriter()
    private var events = [epoll_event](repeating: epoll_event(), count: 256)
    /// When the loop stops waiting for the end; nil before the end has begun.
    private var drainDeadline: MonotonicTime?
    private var nextReport = MonotonicTime.zero

    /// - Parameter share: The numbers of the gateways, from 0.
    init(
        _ plan: SimulationPlan, share: some Sequence<Int>, start: MonotonicTime, mailbox: LoopMailbox,
        connector: Connector
    ) {
        self.plan = plan
        self.mailbox = mailbox
        self.connector = connector
        self.start = start
        brokers = plan.mqtt.addresses
        let numbers = SeededNumbers(seed: plan.seed)
        let rules = SimulatedGateway.Rules(
            sensors: plan.sensors, gap: plan.gap, window: plan.mqtt.maximumInFlight, clears: plan.clears)
        slots = share.map { index in
            let identity = SimulatedIdentity(number: plan.first + index)
            let share = Double(numbers[UInt64(identity.number), 1] >> 11) * 0x1p-53
            let gateway = SimulatedGateway(
                rules, start: start + plan.rampTime * (Double(index) / Double(plan.gateways)), phase: plan.gap * share)
            let values = SimulatedValues(identity, prefix: plan.mqtt.topicPrefix, seed: plan.seed)
            return Slot(gateway: gateway, values: values, broker: index % plan.mqtt.addresses.count)
        }
        deadlines = slots.map { $0.gateway.deadline ?? .zero }
        epoll = epoll_create1(Int32(EPOLL_CLOEXEC))
        watch(mailbox.wakeUp.descriptor, tag: Self.wakeUpTag, EPOLL_CTL_ADD, writes: false)
    }

    deinit { Glibc.close(epoll) }

    /// Returns when every gateway has said goodbye, or the time for it is over.
    func run() {
        while true {
            let now = MonotonicTime.now
            for opening in mailbox.takeOpenings() { take(opening, at: now) }
            if drainDeadline == nil, mailbox.isEnding { beginEnd(at: now) }
            // All deadlines are compared: this costs less than sorting them.
            for slot in deadlines.indices where deadlines[slot] <= now { serve(slot, at: now) }
            let isOver = counts.over == slots.count || drainDeadline.map { now >= $0 } ?? false
            if now >= nextReport || isOver { report(at: now, isOver: isOver) }
            if isOver { return }
            wait(from: now)
        }
    }

    private func wait(from now: MonotonicTime) {
        let next = min(deadlines.min() ?? nextReport, nextReport)
        let milliseconds = min(max((next - now).wholeNanoseconds, 0) / 1_000_000 + 1, 100)
        let count = epoll_wait(epoll, &events, Int32(events.count), Int32(milliseconds))
        let later = MonotonicTime.now
        for event in events.prefix(Int(max(count, 0))) {
            guard event.data.u64 != Self.wakeUpTag else {
                mailbox.wakeUp.clear()
                continue
            }
            let slot = Int(event.data.u64)
            guard slots.indices.contains(slot), let connection = slots[slot].connection else { continue }
            if event.events & EPOLLOUT.rawValue != 0 { connection.write() }
            if event.events & ~EPOLLOUT.rawValue != 0 { connection.read() }
            serve(slot, at: later)
        }
    }

    private func beginEnd(at now: MonotonicTime) {
        drainDeadline = now + plan.drainTime
        for slot in slots.indices {
            let wasOver = slots[slot].gateway.isOver
            slots[slot].gateway.end(at: now)
            if !wasOver, slots[slot].gateway.isOver { counts.over += 1 }
            deadlines[slot] = now
        }
    }

    // MARK: - A gateway

    private func take(_ opening: Opening, at now: MonotonicTime) {
        switch opening.result {
        case .failure(let failure):
            ended(opening.slot, failure, at: now)
            schedule(opening.slot)
        case .success(let connection):
            slots[opening.slot].connection = connection
            slots[opening.slot].nextTick = now
            slots[opening.slot].wantsWrite = connection.wantsWrite
            slots[opening.slot].gateway.connecting(at: now)
            watch(
                connection.descriptor, tag: UInt64(opening.slot), EPOLL_CTL_ADD,
                writes: slots[opening.slot].wantsWrite)
            serve(opening.slot, at: now)
        }
    }

    /// Reads a gateway's input, and does its next steps.
    private func serve(_ slot: Int, at now: MonotonicTime) {
        if let connection = slots[slot].connection {
            do throws(MQTTFailure) {
                try attend(to: connection, of: slot, at: now)
            } catch {
                ended(slot, error, at: now)
            }
        } else if case .connect = slots[slot].gateway.next(at: now, unix: 0) {
            let address = brokers[slots[slot].broker % brokers.count]
            connector.connect(
                Connector.Wish(identity: slots[slot].values.identity, address: address, mailbox: mailbox, slot: slot))
        }
        schedule(slot)
    }

    /// Notes when the slot has its next turn.
    private func schedule(_ slot: Int) {
        let tick = slots[slot].connection == nil ? nil : slots[slot].nextTick
        deadlines[slot] =
            [slots[slot].gateway.deadline, tick].compactMap { $0 }.min() ?? MonotonicTime(nanoseconds: .max)
    }

    private func attend(to connection: MQTTConnection, of slot: Int, at now: MonotonicTime) throws(MQTTFailure) {
        if now >= slots[slot].nextTick {
            connection.tick()
            slots[slot].nextTick = now + .seconds(1)
        }
        settle(connection, of: slot, at: now)
        if let failure = connection.failure ?? slots[slot].gateway.failure(at: now) { throw failure }
        if !slots[slot].wasAccepted, let acceptance = connection.acceptance {
            slots[slot].wasAccepted = true
            if slots[slot].gateway.connections == 0 { counts.reached += 1 }
            counts.connects += 1
            counts.connected += 1
            slots[slot].gateway.accepted(receiveMaximum: acceptance.receiveMaximum, at: now)
        }
        try publish(to: connection, of: slot, at: now)
        guard let connection = slots[slot].connection else { return }
        if connection.wantsWrite != slots[slot].wantsWrite {
            slots[slot].wantsWrite.toggle()
            watch(connection.descriptor, tag: UInt64(slot), EPOLL_CTL_MOD, writes: slots[slot].wantsWrite)
        }
    }

    private func settle(_ connection: MQTTConnection, of slot: Int, at now: MonotonicTime) {
        for settlement in connection.takeSettlements() {
            let reason = settlement.reason
            guard let settled = slots[slot].gateway.settled(settlement.messageID, isRefused: reason.isFailure)
            else { continue }
            counts.inFlight -= 1
            // The end may take long: it goes on as long as the broker acknowledges.
            if drainDeadline != nil { drainDeadline = now + plan.drainTime }
            guard settled.message.reading != nil else { continue }
            if reason.isFailure {
                SimulationCounts.count(reason.description, in: &counts.refused)
            } else {
                counts.acknowledged += 1
                counts.latencies.add(now - settled.time)
            }
        }
    }

    private func publish(to connection: MQTTConnection, of slot: Int, at now: MonotonicTime) throws(MQTTFailure) {
        let unix = KernelClock.unixMilliseconds()
        var isGathering = false
        while let step = slots[slot].gateway.next(at: now, unix: unix) {
            switch step {
            case .connect: return  // only without a connection
            case .publish(let message):
                if !isGathering { connection.gather(true) }
                isGathering = true
                try publish(message, unix: unix, to: connection, of: slot)
            case .disconnect:
                connection.disconnect()
                close(slot)
                counts.connected -= 1
                counts.over += 1
                return
            }
        }
        if isGathering { connection.gather(false) }
    }

    private func publish(
        _ message: SimulatedMessage, unix: Int64, to connection: MQTTConnection, of slot: Int
    ) throws(MQTTFailure) {
        let gateway = slots[slot].gateway
        let moment = SimulatedValues.Moment(
            uptimeMilliseconds: (.now - start).wholeMilliseconds, unixMilliseconds: unix, made: Int(gateway.made),
            acknowledged: gateway.acknowledged, isWaiting: gateway.unacknowledged)
        let outgoing = slots[slot].values.message(message, at: moment, with: &writer)
        let id = try connection.publish(
            outgoing.payload, to: outgoing.topic, qos: message.isUnacknowledged ? 0 : 1, retain: outgoing.retain)
        if !message.isUnacknowledged { counts.inFlight += 1 }
        let isRepeat = try slots[slot].gateway.sent(message, as: id, at: .now)
        if message.reading == nil { counts.others += 1 } else { counts.published += 1 }
        if isRepeat { counts.repeated += 1 }
    }

    /// The connection has ended, or was not made.
    private func ended(_ slot: Int, _ failure: MQTTFailure, at now: MonotonicTime) {
        let wasAccepted = slots[slot].wasAccepted
        counts.inFlight -= slots[slot].gateway.inFlightCount
        if wasAccepted {
            counts.connected -= 1
            SimulationCounts.count(failure.description, in: &counts.losses)
        } else {
            SimulationCounts.count(failure.description, in: &counts.failures)
        }
        close(slot)
        slots[slot].broker += 1
        slots[slot].gateway.ended(at: now, spread: Double.random(in: 0.5...1.5))
    }

    private func close(_ slot: Int) {
        if let descriptor = slots[slot].connection?.descriptor, descriptor >= 0 {
            watch(descriptor, tag: 0, EPOLL_CTL_DEL, writes: false)
        }
        // If the library has closed the socket, its last duplicate goes with the connection, and the watch ends with
        // it.
        slots[slot].connection = nil
        slots[slot].wasAccepted = false
    }

    private func watch(_ descriptor: Int32, tag: UInt64, _ operation: Int32, writes: Bool) {
        var event = epoll_event()
        event.events = EPOLLIN.rawValue | (writes ? EPOLLOUT.rawValue : 0)
        event.data.u64 = tag
        epoll_ctl(epoll, operation, descriptor, &event)
    }

    private func report(at now: MonotonicTime, isOver: Bool) {
        nextReport = now + Self.reportTime
        counts.skipped = slots.reduce(0) { $0 + $1.gateway.skipped }
        counts.unacknowledged = slots.reduce(0) { $0 + $1.gateway.unacknowledged }
        mailbox.report(counts, isOver: isOver)
    }
}
