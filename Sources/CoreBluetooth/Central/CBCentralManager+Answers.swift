// SPDX-License-Identifier: Apache-2.0

import ATT
import BluetoothCore
import BluetoothHost
import Foundation
import GATT
import HCI
import Synchronization

/// Answers to requests to peripherals, on the manager's queue.
extension CBCentralManager {
    func handle(rssi id: GATTRequestID, _ result: Result<Int8, HCIStatus>) {
        guard let pending = takeRequest(id) else { return }
        let peripheral = pending.peripheral
        if let caller = pending.caller {
            caller(result.map { .rssi($0) }.mapError { CBError(connection: $0) })
            return
        }
        switch result {
        case .success(let rssi):
            peripheral.delegate?.peripheral(peripheral, didReadRSSI: SignalStrength.number(rssi), error: nil)
        case .failure(let status):
            peripheral.delegate?.peripheral(
                peripheral, didReadRSSI: SignalStrength.number(127), error: CBError(connection: status))
        }
    }

    func handle(_ id: GATTRequestID, _ result: Result<GATTResponse, any Error>) {
        guard let pending = takeRequest(id) else { return }
        let peripheral = pending.peripheral
        // Asynchronous callers get their answers themselves.
        let delegate = pending.caller == nil ? peripheral.delegate : nil
        var error: (any Error)?
        var response: GATTResponse?
        switch result {
        case .success(let answer): response = answer
        case .failure(let failure): error = failure
        }
        switch pending.request {
        case .rssi:
            delegate?.peripheral(peripheral, didReadRSSI: SignalStrength.number(127), error: error)
        case .gapName: storeName(response, of: peripheral)
        case .restoredServices:
            if case .services(let found) = response {
                dropChanged(found, of: peripheral)
                storeRestored(found, of: peripheral)
            }
            releaseHeld(of: peripheral)
            restoredServices(of: peripheral)
            watchServices(of: peripheral)
        case .restoredCharacteristics(let service):
            if case .characteristics(let found) = response { storeCharacteristics(found, of: service) }
            restoredCharacteristics(of: service, on: peripheral)
        case .watchServices: break  // the host tells of changes from now on, where the peripheral does
        case .procedure: break  // the caller has it all
        case .services(let areAll):
            if case .services(let found) = response { storeServices(found, areAll: areAll, of: peripheral) }
            delegate?.peripheral(peripheral, didDiscoverServices: error)
            if !changing.withLock({ $0.defersOwnRequests }) { watchServices(of: peripheral) }
        case .includedServices(let service, let wanted):
            if case .services(let found) = response { storeIncluded(found, wanted, in: service) }
            delegate?.peripheral(peripheral, didDiscoverIncludedServicesFor: service, error: error)
        case .characteristics(let service):
            if case .characteristics(let found) = response { storeCharacteristics(found, of: service) }
            delegate?.peripheral(peripheral, didDiscoverCharacteristicsFor: service, error: error)
        case .descriptors(let characteristic):
            if case .descriptors(let found) = response {
                characteristic.descriptors = found.map { CBDescriptor($0, characteristic: characteristic) }
            }
            delegate?.peripheral(peripheral, didDiscoverDescriptorsFor: characteristic, error: error)
        case .read(let characteristic):
            if case .value(let octets) = response { characteristic.value = Data(octets) }
            characteristic.isReadAnswer = true
            defer { characteristic.isReadAnswer = false }
            delegate?.peripheral(peripheral, didUpdateValueFor: characteristic, error: error)
        case .write(let characteristic):
            delegate?.peripheral(peripheral, didWriteValueFor: characteristic, error: error)
        case .notify(let characteristic, let enabled):
            // After an error the state stays as before: off, or still on if switching off has failed.
            characteristic.isNotifying = error == nil ? enabled : !enabled && characteristic.isNotifying
            if enabled, let error { characteristic.stopNotifying(error) }
            preserve()
            delegate?.peripheral(peripheral, didUpdateNotificationStateFor: characteristic, error: error)
        case .readDescriptor(let descriptor):
            if case .value(let octets) = response { descriptor.set(octets) }
            delegate?.peripheral(peripheral, didUpdateValueFor: descriptor, error: error)
        case .writeDescriptor(let descriptor):
            delegate?.peripheral(peripheral, didWriteValueFor: descriptor, error: error)
        case .openChannel:
            delegate?.peripheral(peripheral, didOpen: nil, error: error)
        }
        pending.caller?(response.map { .success(.gatt($0)) } ?? .failure(error ?? CBError(.unknown)))
    }

    private func storeName(_ response: GATTResponse?, of peripheral: CBPeripheral) {
        // No caller waits for the name: a peripheral without a readable name is no error.
        guard case .value(let octets) = response, !octets.isEmpty else { return }
        let name = String(decoding: octets, as: UTF8.self)
        controller.host.directory.recordTold(peripheral.peerAddress, name: name)
        let isNew = peripheral.changing.withLock { state in
            defer { (state.name, state.isNameFromGAP) = (name, true) }
            return state.name != name
        }
        if isNew { peripheral.delegate?.peripheralDidUpdateName(peripheral) }
    }

    /// For the gateway: reads the name and subscribes to Service Changed, after the last request of a caller. Some
    /// peripherals end the link over these two requests.
    package func makeOwnRequests(on peripheral: CBPeripheral) {
        askForName(of: peripheral)
        watchServices(of: peripheral)
    }

    func askForName(of peripheral: CBPeripheral) {
        guard peripheral.changing.withLock({ !$0.isNameFromGAP && $0.link != nil }) else { return }
        request(.gapName, on: peripheral) { .gatt(.readByType(BluetoothUUID(UInt16(0x2A00)))) }
    }

    /// After the application's own first requests, so that these need not wait.
    private func watchServices(of peripheral: CBPeripheral) {
        let isNew = peripheral.changing.withLock { state in
            defer { state.watchesServices = true }
            return !state.watchesServices && state.link != nil
        }
        if isNew { request(.watchServices, on: peripheral) { .gatt(.watchServices) } }
    }

    /// The services between `start` and `end` have changed.
    func servicesChanged(on peripheral: CBPeripheral, _ start: UInt16, _ end: UInt16) {
        let invalidated = peripheral.changing.withLock { state in
            // Service Changed itself may be among them.
            state.watchesServices = false
            let services = state.services ?? []
            let isHit = { (service: CBService) in service.handles.start <= end && service.handles.end >= start }
            state.services = services.filter { !isHit($0) }
            for handle in state.characteristics.keys where (start...max(start, end)).contains(handle) {
                state.characteristics.removeValue(forKey: handle)?
                    .stopNotifying(CBError(.invalidHandle, detail: "the peripheral changed its services"))
            }
            return UncheckedReference(value: services.filter(isHit))
        }
        peripheral.delegate?.peripheral(peripheral, didModifyServices: invalidated.value)
    }

    func storeServices(_ found: [RemoteService], areAll: Bool, of peripheral: CBPeripheral) {
        let known = peripheral.services ?? []
        // A discovery of all services leaves the host's own services out, as on Apple's systems (Accessory Design
        // Guidelines, GATT Server). A service that was discovered by name stays.
        let found = found.filter { service in
            !areAll || !CBService.belongsToHost(service.uuid) || known.contains { $0.handles == service.handles }
        }
        // Known objects stay, because the application may refer to them.
        let services = found.map { service in
            known.first { $0.handles == service.handles && $0.uuid.value == service.uuid }
                ?? CBService(service, peripheral: peripheral, isPrimary: true)
        }
        let others = areAll ? [] : known.filter { old in !services.contains { $0 === old } }
        let all = (others + services).sorted { $0.handles.start < $1.handles.start }
        peripheral.changing.withLock { $0.services = all }
    }

    private func storeIncluded(_ found: [RemoteService], _ wanted: [CBUUID]?, in service: CBService) {
        guard let peripheral = service.peripheral else { return }
        let known = peripheral.services ?? []
        service.includedServices = found.map { included in
            known.first { $0.handles == included.handles }
                ?? CBService(included, peripheral: peripheral, isPrimary: false)
        }.filter { wanted?.contains($0.uuid) ?? true }
    }

    private func storeCharacteristics(_ found: [RemoteCharacteristic], of service: CBService) {
        let known = service.characteristics ?? []
        let new = found.map { characteristic in
            known.first { $0.valueHandle == characteristic.valueHandle && $0.uuid.value == characteristic.uuid }
                ?? CBCharacteristic(characteristic, service: service)
        }
        let others = known.filter { old in !new.contains { $0 === old } }
        service.characteristics = (others + new).sorted { $0.valueHandle < $1.valueHandle }
        service.peripheral?.changing.withLock { state in
            for characteristic in new { state.characteristics[characteristic.valueHandle] = characteristic }
        }
    }
}
