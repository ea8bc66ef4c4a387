// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Logging
import MQTT
import Platform
import Readings
import SparkplugB

/// Beginning and end of a connection, and what its end says of what was on its way.
extension PublisherMachine {
    /// Connections that the broker has to end over one and the same row before that is given up.
    static let triesOfOneRow = 5

    /// Queues what comes before readings: status, information, the sensors' availability.
    ///
    /// - Parameter sizes: What was learned of this broker before; nil is nothing.
    mutating func begin(
        _ acceptance: MQTTConnection.Acceptance, sizes: HistorySizes? = nil, at now: MonotonicTime,
        from facts: any FactSource
    ) {
        self.sizes = sizes ?? HistorySizes(limit: configuration.historyMaximumBytes)
        isConnected = true
        hasDeliveredHistory = false
        complaint = nil
        toldUpdate = nil
        retains = configuration.retain && acceptance.retainAvailable
        limit = max(min(configuration.maximumInFlight, acceptance.receiveMaximum), 1)
        maximumMessage = max(acceptance.maximumPacketSize - 256, 1)
        leases?.connected(
            RetainedTopics.sensors(in: facts).union(availability.keys), retains: retains, at: now)
        heldForOwner = [:]
        isOffline = false
        sparkplug?.connected()
        if sparkplug == nil { for message in layout.birth { control.append(message) } }
        announceInformation()
        beginDiscovery(at: now, from: facts)
        for (device, online) in availability.sorted(by: { $0.key < $1.key }) {
            announceAvailability(of: device, online)
        }
        if leases == nil {
            clearFormerAvailability(known: facts)
        } else {
            // Not before it is known which of them are another gateway's.
            formerDue = now + LeaseMachine.patience
        }
        live.begin()
        history.begin()
        nextStatistics = .zero
    }

    /// Somebody has published to a topic that was subscribed to.
    mutating func received(_ message: IncomingMessage, at moment: PublisherMoment) {
        heardAt = moment.now
        if !takeSparkplug(message, at: moment), !takeCommand(message), !takeLease(message, at: moment) {
            takeStatus(message, at: moment)
        }
    }

    /// Nothing sent and not acknowledged counts: the journal still has it, and it goes again.
    mutating func end(_ failure: MQTTFailure? = nil, at now: MonotonicTime) {
        isConnected = false
        endedOverHistory = historyInFlight.messages > 0 && !hasDeliveredHistory
        suspectHistory(failure, at: now)
        for message in inFlight.values {
            if case .live(let n, let stream) = message.content { live.taken(n, of: stream) }
        }
        control.removeAll()
        discovery?.end()
        leases?.disconnected()
        sparkplug?.disconnected()
        inFlight.removeAll(keepingCapacity: true)
        historyInFlight = (0, 0)
        oldest = nil
    }

    /// Some brokers (mosquitto 2.0) close the connection on a message above their limit, and their answer is lost with
    /// it. Once may be an outage, twice in a row is suspicious; a broker that says so is believed. Where the largest is a
    /// single row, that cannot be made smaller, and goes alone from then on: then the answer is not lost, and a broker
    /// that has none shows which row it is.
    private mutating func suspectHistory(_ failure: MQTTFailure?, at now: MonotonicTime) {
        // Who breaks the protocol says nothing of sizes.
        if case .broken = failure { return }
        guard !isOverdue(at: now) else { return }
        guard historyInFlight.messages > 0 else {
            if hasDeliveredHistory { sizes.fruitlessConnections = 0 }
            return
        }
        var largest = 0
        var largestRow = 0
        for message in inFlight.values {
            guard case .history(let numbers, _, let octets) = message.content else { continue }
            if numbers.count > 1 { largest = max(largest, octets) } else { largestRow = max(largestRow, octets) }
        }
        let isSaid = failure == .disconnected(.packetTooLarge)
        if isSaid, largestRow > largest, inFlight.count == 1, let refused = rowAlone { return giveUp(refused) }
        if !isSaid {
            guard !hasDeliveredHistory else { return sizes.fruitlessConnections = 0 }
            sizes.fruitlessConnections += 1
            guard sizes.fruitlessConnections > 1 else { return }
            if failure?.isWordless == true, let suspect = rowAlone { return blame(suspect) }
        }
        if largestRow > largest {
            sizes.alone = 2 * historyInFlight.messages
        } else {
            shrinkHistory(below: largest, isSaid: isSaid)
        }
    }

    /// The row of history that is on its way without other history, after everything before it was acknowledged.
    private var rowAlone: Int64? {
        guard historyInFlight.messages == 1, let first = inFlight.min(by: { $0.key < $1.key })?.value.content,
            case .history(let numbers, _, _) = first, numbers.count == 1
        else { return nil }
        return numbers.first
    }

    /// The broker has hung up over this row, as far as can be told: not for ever.
    private mutating func blame(_ n: Int64) {
        sizes.suspect = (n, sizes.suspect.map { $0.row == n ? $0.connections + 1 : 1 } ?? 1)
        sizes.alone = max(sizes.alone, 2)
        guard let suspect = sizes.suspect, suspect.connections >= Self.triesOfOneRow else { return }
        want(.drop([n], .refused))
        log(
            .error, "reading dropped: the broker hangs up each time it is sent, and says nothing",
            ["reading.n": "\(n)", "mqtt.connections": "\(suspect.connections)"])
        // Messages were made smaller for nothing.
        sizes = HistorySizes(limit: configuration.historyMaximumBytes)
    }
}
