// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Logging
import MQTT
import Platform
import Readings
import SparkplugB

/// Start and end of a connection, and the evidence that an end gives about the messages in flight.
extension PublisherMachine {
    /// Queues the messages before readings: status, information, the sensors' availability.
    ///
    /// - Parameter sizes: Earlier facts about this broker; nil: none.
    mutating func begin(
        _ acceptance: MQTTConnection.Acceptance, sizes: HistorySizes? = nil, at now: MonotonicTime,
        from facts: any FactSource
    ) {
        sizing.begin(sizes, maximumMessage: acceptance.maximumPacketSize - 256)
        session.begin(retains: configuration.retain && acceptance.retainAvailable)
        refusals.begin()
        gateway.begin()
        inFlight.begin(limit: min(configuration.maximumInFlight, acceptance.receiveMaximum))
        let (known, retains) = (RetainedTopics.sensors(in: facts).union(presence.devices), session.retains)
        leases?.connected(known, retains: retains, at: now)
        sparkplug?.connected()
        if sparkplug == nil { for message in layout.birth { control.append(message) } }
        announceInformation()
        beginClaim(at: now, from: facts)
        beginDiscovery(at: now, from: facts)
        for (device, online) in presence.inOrder { announceAvailability(of: device, online) }
        if leases == nil {
            clearFormerAvailability(known: facts)
        } else {
            // Only after the owners of the sensors are known.
            presence.expectFormer(at: now + LeaseMachine.patience)
        }
        live.begin()
        history.begin()
    }

    /// A message has come on a subscribed topic.
    mutating func received(_ message: IncomingMessage, at moment: PublisherMoment) {
        turn.heard(at: moment.now)
        if !receiveSparkplug(message, at: moment), !receiveCommand(message), !receiveLease(message, at: moment),
            !receiveClaim(message, at: moment.now)
        {
            receiveStatus(message, at: moment)
        }
    }

    /// Unacknowledged readings do not count as sent: the journal still has them, and they go again.
    mutating func end(_ failure: MQTTFailure? = nil, at now: MonotonicTime) {
        session.end()
        gateway.endClaim(at: now)
        suspectHistory(failure, at: now)
        for (n, stream) in inFlight.live { live.taken(n, of: stream) }
        control.removeAll()
        discovery?.end()
        leases?.disconnected()
        sparkplug?.disconnected()
        inFlight.end()
    }

    private mutating func suspectHistory(_ failure: MQTTFailure?, at now: MonotonicTime) {
        switch sizing.end(failure, isOverdue: isOverdue(at: now), inFlight) {
        case .nothing: break
        case .refused(let n): giveUp(n)
        case .smaller(let octets, let isSaid): logShrinking(below: octets, isSaid: isSaid)
        case .blamed(let n, let connections):
            want(.drop([n], .refused))
            log(
                .error, "reading dropped: the broker hangs up each time it is sent, and says nothing",
                ["reading.n": "\(n)", "mqtt.connections": "\(connections)"])
        }
    }
}
