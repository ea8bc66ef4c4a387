// SPDX-License-Identifier: Apache-2.0

import CoreBluetooth
import Foundation

/// Delegates' calls that no step has taken yet: a script calls, then waits for the answer.
final class Inbox: @unchecked Sendable {
    // Sound: `calls` is only touched with the condition locked.

    enum Kind: Equatable {
        case state, discovered, connected, failedToConnect, disconnected
        case services, included, characteristics, descriptors, modified
        case value, written, notifying, descriptorValue, descriptorWritten, rssi, ready, channel
    }

    struct Call {
        let kind: Kind
        let subject: ObjectIdentifier?
        var value = Data()
        var number = 0
        var failure: Failure?
    }

    struct Failure: Error, Equatable, CustomStringConvertible {
        let domain: String
        let code: Int
        let text: String

        init?(_ error: (any Error)?) {
            guard let error = error as NSError? else { return nil }
            (domain, code, text) = (error.domain, error.code, error.localizedDescription)
        }

        var description: String { "\(domain) \(code): \(text)" }
    }

    private let condition = NSCondition()
    private var calls: [Call] = []

    func put(_ call: Call) {
        condition.withLock {
            calls.append(call)
            condition.broadcast()
        }
    }

    func put(
        _ kind: Kind, _ subject: AnyObject?, value: Data? = nil, number: Int = 0, error: (any Error)? = nil
    ) {
        put(
            Call(
                kind: kind, subject: subject.map(ObjectIdentifier.init), value: value ?? Data(), number: number,
                failure: Failure(error)))
    }

    /// Takes the first call of the kind out, about `subject` if given; nil if none comes in time.
    func take(_ kind: Kind, about subject: AnyObject? = nil, within seconds: TimeInterval) -> Call? {
        let deadline = Date(timeIntervalSinceNow: seconds)
        let wanted = subject.map(ObjectIdentifier.init)
        return condition.withLock {
            while true {
                let found = calls.firstIndex { $0.kind == kind && (wanted == nil || $0.subject == wanted) }
                if let found { return calls.remove(at: found) }
                guard condition.wait(until: deadline) else { return nil }
            }
        }
    }
}

/// Puts the calls from a central and its peripherals into the inbox.
final class CentralDelegate: NSObject, CBCentralManagerDelegate, CBPeripheralDelegate {
    let inbox = Inbox()
    private let wanted: String
    private(set) var found: CBPeripheral?
    private(set) var channel: CBL2CAPChannel?

    init(wanted: String) { self.wanted = wanted }

    func centralManagerDidUpdateState(_ central: CBCentralManager) {
        inbox.put(.state, nil, number: central.state.rawValue)
    }

    func centralManager(
        _ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any],
        rssi RSSI: NSNumber
    ) {
        guard found == nil, advertisementData[CBAdvertisementDataLocalNameKey] as? String == wanted else { return }
        found = peripheral
        peripheral.delegate = self
        inbox.put(.discovered, peripheral, number: RSSI.intValue)
    }

    func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
        inbox.put(.connected, peripheral)
    }

    func centralManager(_ central: CBCentralManager, didFailToConnect peripheral: CBPeripheral, error: (any Error)?) {
        inbox.put(.failedToConnect, peripheral, error: error)
    }

    func centralManager(
        _ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral, error: (any Error)?
    ) {
        inbox.put(.disconnected, peripheral, error: error)
    }

    func peripheral(_ peripheral: CBPeripheral, didModifyServices invalidatedServices: [CBService]) {
        inbox.put(.modified, peripheral, number: invalidatedServices.count)
    }

    func peripheral(_ peripheral: CBPeripheral, didReadRSSI RSSI: NSNumber, error: (any Error)?) {
        inbox.put(.rssi, peripheral, number: RSSI.intValue, error: error)
    }

    func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: (any Error)?) {
        inbox.put(.services, peripheral, error: error)
    }

    func peripheral(
        _ peripheral: CBPeripheral, didDiscoverIncludedServicesFor service: CBService, error: (any Error)?
    ) {
        inbox.put(.included, service, error: error)
    }

    func peripheral(
        _ peripheral: CBPeripheral, didDiscoverCharacteristicsFor service: CBService, error: (any Error)?
    ) {
        inbox.put(.characteristics, service, error: error)
    }

    func peripheral(
        _ peripheral: CBPeripheral, didDiscoverDescriptorsFor characteristic: CBCharacteristic, error: (any Error)?
    ) {
        inbox.put(.descriptors, characteristic, error: error)
    }

    func peripheral(
        _ peripheral: CBPeripheral, didUpdateValueFor characteristic: CBCharacteristic, error: (any Error)?
    ) {
        inbox.put(.value, characteristic, value: characteristic.value, error: error)
    }

    func peripheral(
        _ peripheral: CBPeripheral, didWriteValueFor characteristic: CBCharacteristic, error: (any Error)?
    ) {
        inbox.put(.written, characteristic, error: error)
    }

    func peripheral(
        _ peripheral: CBPeripheral, didUpdateNotificationStateFor characteristic: CBCharacteristic,
        error: (any Error)?
    ) {
        inbox.put(.notifying, characteristic, number: characteristic.isNotifying ? 1 : 0, error: error)
    }

    func peripheral(_ peripheral: CBPeripheral, didUpdateValueFor descriptor: CBDescriptor, error: (any Error)?) {
        inbox.put(.descriptorValue, descriptor, error: error)
    }

    func peripheral(_ peripheral: CBPeripheral, didWriteValueFor descriptor: CBDescriptor, error: (any Error)?) {
        inbox.put(.descriptorWritten, descriptor, error: error)
    }

    func peripheral(_ peripheral: CBPeripheral, didOpen channel: CBL2CAPChannel?, error: (any Error)?) {
        self.channel = channel
        inbox.put(.channel, peripheral, error: error)
    }

    func peripheralIsReady(toSendWriteWithoutResponse peripheral: CBPeripheral) {
        inbox.put(.ready, peripheral)
    }
}
