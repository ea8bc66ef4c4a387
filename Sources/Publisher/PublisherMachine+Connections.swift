// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Logging
import MQTT
import Platform
import Readings
import SparkplugB

/// Beginning and end of a connection, and what its end says of what was on its way.
extension PublisherMachine {
    /// Queues what comes before readings: status, information, the sensors' availability.
    ///
    /// - Parameter sizes: What was learned of this broker before; nil is nothing.
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
        beginDiscovery(at: now, from: facts)
        for (device, online) in presence.inOrder { announceAvailability(of: device, online) }
        if leases == nil {
            clearFormerAvailability(known: facts)
        } else {
            // Not before it is known which of them are another gateway's.
            presence.expectFormer(at: now + LeaseMachine.patience)
        }
        live.begin()
        history.begin()
    }

    /// Somebody has published to a topic that was subscribed to.
    mutating func received(_ message: IncomingMessage, at moment: PublisherMoment) {
        turn.heard(at: moment.now)
        if !takeSparkplug(message, at: moment), !takeCommand(message), !takeLease(message, at: moment) {
            takeStatus(message, at: moment)
        }
    }

    /// Nothing sent and not acknowledged counts: the journal still has it, and it goes again.
    mutating func end(_ failure: MQTTFailure? = nil, at now: MonotonicTime) {
        session.end()
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
