// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import CoreBluetooth
import Platform
import Readings

/// Refusals of a sensor while its link is set up. One refusal keeps none of the other values from coming.
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

    /// Goes on with a value whose sensor does not take the subscription: some sensors notify all the same, and what can be
    /// read is read again and again. False where pairing may help, or the link is gone.
    func goesOnUnsubscribed(_ feed: CharacteristicFeed, _ error: (any Error)?) -> Bool {
        guard let error, isOfPeer(error), !isOfSecurity(error) else { return false }
        let sensor = feed.sensor
        sensor.peripheral.takeValues(of: feed.characteristic)
        let isRead = feed.characteristic.properties.contains(.read)
        if isRead {
            feed.isPolled = true
            let now = uptime
            if sensor.polls == nil {
                sensor.polls = PollSchedule(insteadOfSubscriptions: sensor.rule)
                sensor.polls?.began(at: now)
            }
            if feed.reads.pending == 0 {
                feed.reads.asked()
                sensor.peripheral.readValue(for: feed.characteristic)
            }
        }
        advance(sensor) {
            $0.refusedSubscription(
                token: feed.token, describe(error), isRead: isRead, isLasting: isLasting(error))
        }
        return true
    }

    /// The peer has answered, with an error or with nonsense.
    private func isOfPeer(_ error: any Error) -> Bool {
        error is CBATTError || (error as? CBError)?.code == .unknown
    }

    /// A server that has no such descriptor, or lets nobody write it, does not learn to.
    private func isLasting(_ error: any Error) -> Bool {
        switch error {
        case CBATTError.invalidHandle, CBATTError.writeNotPermitted, CBATTError.requestNotSupported,
            CBATTError.attributeNotFound:
            true
        default: false
        }
    }

    private func isOfSecurity(_ error: any Error) -> Bool {
        switch error {
        case CBATTError.insufficientAuthentication, CBATTError.insufficientAuthorization,
            CBATTError.insufficientEncryption, CBATTError.insufficientEncryptionKeySize:
            true
        default: false
        }
    }
}
