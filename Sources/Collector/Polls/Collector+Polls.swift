// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import CoreBluetooth
import Dispatch
import Logging
import Platform
import Readings

/// Sensors with polls: the collector reads their values again and again. The set-up reads all values once; the later
/// reads are here.
extension Collector {
    /// The set-up is done, and the first poll as well.
    func beginPolls(of sensor: LinkedSensor) {
        guard sensor.plan.closesLink else { return awaitPoll(of: sensor) }
        restIfRead(sensor)
    }

    /// Sets the time of the next poll.
    func awaitPoll(of sensor: LinkedSensor) {
        guard let next = sensor.plan.nextPoll else { return }
        let pause = max(0, next.subtractingSaturated(uptime))
        sensor.phase.poll(at: now + .milliseconds(Int(pause)))
        rearm()
    }

    /// Reads on the present link. A characteristic that has not answered the last poll is not read again: a link
    /// without an answer for 30 s ends by itself (Core 5.4, Vol 3, Part F, 3.3.3).
    func poll(_ sensor: LinkedSensor) {
        guard sensor.plan.hasPolls else { return }
        sensor.plan.pollBegan(at: uptime)
        for feed in sensor.feeds.current
        where feed.isPolled && feed.reads.pending == 0 && !feed.characteristic.isNotifying {
            feed.reads.asked()
            sensor.peripheral.readValue(for: feed.characteristic)
        }
        awaitPoll(of: sensor)
    }

    /// Takes the answer to a poll on a link that stays. Reports an error if it differs from the last error.
    func endPoll(of feed: CharacteristicFeed, _ error: (any Error)?) {
        let sensor = feed.sensor
        guard let error else {
            sensor.trouble.succeeded()
            return restIfRead(sensor)
        }
        let failure = "\(feed.feed.map(String.init(describing:)) ?? feed.uuid) cannot be read: \(describe(error))"
        if sensor.trouble.failed(failure) {
            record(.pollFailed, of: sensor, failure)
            logger.warning("a poll failed", metadata: sensor.metadata.merging(["cause": "\(failure)"]) { $1 })
        }
        restIfRead(sensor)
    }

    /// Ends the link of a sensor that has given all values, until the next poll. A person who pairs with the sensor
    /// goes first.
    func restIfRead(_ sensor: LinkedSensor) {
        guard sensor.plan.closesLink, sensor.link == .collecting, !sensor.pairing.isUnderway, !isStopping,
            !sensor.upkeep.quest.isOpen, sensor.feeds.areAnswered
        else { return }
        // After the end of the link, the time of the next poll counts.
        sensor.phase.resting(until: now + Self.disconnectLimit)
        sensor.record.willEnd(because: "the values were read; the next poll makes a new link")
        rearm()
        manager?.cancelPeripheralConnection(sensor.peripheral)
    }
}
