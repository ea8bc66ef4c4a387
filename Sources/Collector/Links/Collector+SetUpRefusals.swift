// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import CoreBluetooth
import Platform
import Readings

/// Refusals of a sensor during the set-up of its link. A refusal does not stop the other values.
extension Collector {
    func refusedCharacteristics(
        of sensor: LinkedSensor, in service: CBService, at index: Int, _ error: any Error
    ) {
        guard isOfPeer(error) else {
            return advance(sensor) { $0.failed("characteristics of \(service.uuid.uuidString): \(describe(error))") }
        }
        guard sensor.setUp?.isExtra(service: index) == true || !pairsInstead(of: error, sensor) else { return }
        advance(sensor) { $0.refusedCharacteristics(service: index, describe(error)) }
    }

    /// Continues with a value if the sensor refuses the subscription. Some sensors still notify, and a readable value
    /// is read again and again. False if pairing may help, or the link is gone.
    func goesOnUnsubscribed(_ feed: CharacteristicFeed, _ error: (any Error)?) -> Bool {
        guard let error, isOfPeer(error), !isOfSecurity(error) else { return false }
        let sensor = feed.sensor
        sensor.peripheral.expectValues(of: feed.characteristic)
        let isRead = feed.characteristic.properties.contains(.read)
        if isRead {
            feed.readInstead()
            sensor.plan.readInstead(sensor.rule, at: uptime)
            if feed.reads.pending == 0 {
                feed.reads.asked()
                sensor.peripheral.readValue(for: feed.characteristic)
            }
        }
        let isLasting = isLasting(error) || sensor.feeds.refused(feed.feed, instance: feed.instance)
        advance(sensor) {
            $0.refusedSubscription(token: feed.token, describe(error), isRead: isRead, isLasting: isLasting)
        }
        return true
    }

    /// The peer has answered, with an error or with nonsense.
    private func isOfPeer(_ error: any Error) -> Bool {
        error is CBATTError || (error as? CBError)?.code == .unknown
    }

    /// A server without the descriptor, or with a read-only descriptor, will not change.
    private func isLasting(_ error: any Error) -> Bool {
        switch error {
        case CBATTError.invalidHandle, CBATTError.writeNotPermitted, CBATTError.requestNotSupported,
            CBATTError.attributeNotFound:
            true
        default: false
        }
    }

    /// Pairing may help. Pairing gives no authorization: the sensor's maker decides about that.
    private func isOfSecurity(_ error: any Error) -> Bool {
        switch error {
        case CBATTError.insufficientAuthentication, CBATTError.insufficientEncryption,
            CBATTError.insufficientEncryptionKeySize:
            true
        default: false
        }
    }
}
