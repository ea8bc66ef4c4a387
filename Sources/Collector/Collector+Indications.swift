// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import CoreBluetooth
import Dispatch
import Foundation
import Logging
import Readings

/// An indicated value that its sensor keeps until it is confirmed, which it is when it is on disk.
struct HeldIndication {
    /// Tells it from those before and after.
    let number: UInt64
    let indication: CBIndication
    /// When waiting for the disk ends. A link on which a transaction takes 30 s is dead in any case (Core 5.4, Vol 3,
    /// Part F, 3.3.3).
    let deadline: DispatchTime
}

extension Collector: CBIndicationDelegate {
    package func peripheral(
        _ peripheral: CBPeripheral, didReceive indication: CBIndication, for characteristic: CBCharacteristic
    ) {
        guard let feed = feeds[ObjectIdentifier(characteristic)] else {
            unexpected += 1
            // The sensor is to go on all the same.
            indication.confirm()
            return
        }
        if feed.isControlPoint, !feed.isCollected {
            indication.confirm()
            return takeAnswer([UInt8](indication.value), from: feed)
        }
        let reading = reading(indication.value, from: feed, source: .indicate)
        // What came before it is written before it.
        flush()
        readings += 1
        waitForRoom(1)
        let number = hold(indication, of: feed.sensor)
        let identifier = feed.sensor.candidate.identifier
        outlet.appendWhenDurable([reading]) { [weak self] isDurable in
            guard let self else { return }
            queue.async { [self] in settled(number, of: identifier, isDurable: isDurable) }
        }
    }

    private func hold(_ indication: CBIndication, of sensor: LinkedSensor) -> UInt64 {
        indicationNumber += 1
        let deadline = DispatchTime.now() + .milliseconds(Int(confirmationLimit.wholeMilliseconds))
        sensor.held = HeldIndication(number: indicationNumber, indication: indication, deadline: deadline)
        if deadline < armed { rearm() }
        return indicationNumber
    }

    /// A reading that was dropped is not confirmed: its sensor still has it, and sends it again on the next link. That
    /// begins after the limit, like for one that the disk has not got by then: at once would mean a loop.
    private func settled(_ number: UInt64, of identifier: UUID, isDurable: Bool) {
        guard isDurable, let sensor = linked[identifier], let held = sensor.held, held.number == number else { return }
        sensor.held = nil
        held.indication.confirm()
    }

    /// The disk has not got an indicated value within the limit.
    func giveUpIndication(of sensor: LinkedSensor) {
        sensor.held = nil
        guard !isStopping else { return }
        sensor.unconfirmed += 1
        let now = DispatchTime.now()
        if now >= nextIndicationWarning {
            nextIndicationWarning = now + Self.indicationWarningPeriod
            logger.error(
                "an indicated value was not written down in time; its sensor keeps it, and is connected to again",
                metadata: sensor.metadata)
        }
        let reason = "indication not confirmed: the journal did not have it in time"
        noteDrop(sensor, reason: reason)
        sensor.endCause = reason
        dropLink(sensor)
    }
}
