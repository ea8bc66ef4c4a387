// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import CoreBluetooth
import Dispatch
import Foundation
import Logging
import Readings

extension Collector: CBIndicationDelegate {
    package func peripheral(
        _ peripheral: CBPeripheral, didReceive indication: CBIndication, for characteristic: CBCharacteristic
    ) {
        guard let feed = feeds[ObjectIdentifier(characteristic)] else {
            batch.countUnexpected()
            // The confirmation lets the sensor continue.
            indication.confirm()
            return
        }
        if feed.isControlPoint, !feed.isCollected {
            indication.confirm()
            return receiveAnswer([UInt8](indication.value), from: feed)
        }
        let reading = reading(indication.value, from: feed, source: .indicate)
        // Earlier readings are written before this reading.
        flush()
        batch.countDelivered()
        waitForRoom(1)
        let number = hold(indication, of: feed.sensor)
        let identifier = feed.sensor.candidate.identifier
        outlet.appendWhenDurable([reading]) { [weak self] isDurable in
            guard let self else { return }
            queue.async { [self] in settled(number, of: identifier, isDurable: isDurable) }
        }
    }

    private func hold(_ indication: CBIndication, of sensor: LinkedSensor) -> UInt64 {
        let deadline = now + .milliseconds(Int(limits.confirmation.wholeMilliseconds))
        let number = batch.nextIndication()
        sensor.upkeep.indications.hold(indication, number: number, until: deadline)
        if deadline < loop.armed { rearm() }
        return number
    }

    /// The collector does not confirm a dropped reading, so the sensor keeps it and sends it again on the next link.
    /// The next link begins after the limit, as for a reading that the disk does not have by then. An immediate link
    /// would cause a loop.
    private func settled(_ number: UInt64, of identifier: UUID, isDurable: Bool) {
        if isDurable { linked[identifier]?.upkeep.indications.confirm(number) }
    }

    /// The disk did not get an indicated value within the limit.
    func giveUpIndication(of sensor: LinkedSensor) {
        guard !isStopping else { return sensor.upkeep.indications.drop() }
        sensor.upkeep.indications.giveUp()
        if batch.mayWarnOfIndication(at: now) {
            logger.error(
                "the journal stored an indicated value too late; the gateway connects again to get the value",
                metadata: sensor.metadata)
        }
        let reason = "indication not confirmed: the journal was too slow"
        recordDrop(sensor, reason: reason)
        sensor.record.willEnd(because: reason)
        dropLink(sensor)
    }
}
