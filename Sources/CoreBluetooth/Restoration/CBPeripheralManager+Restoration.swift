// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import BluetoothHost
import Foundation
import GATT
import Logging
import Synchronization

/// State preservation: published services with their handles, the advertisement, and the subscribed centrals.
extension CBPeripheralManager {
    /// The manager's tasks once the power is on.
    struct Restoration {
        var services: [(service: CBMutableService, start: UInt16, valueHandles: [UInt16])] = []
        var advertisement: PeripheralSnapshot.Advertisement?
        /// Subscribers whose connection has not come back.
        var absent: [CBCentral] = []
    }

    /// Keeps the present state; nothing happens without a restore identifier.
    /// `isNarrower`: something was taken away; returns when that is on disk.
    func preserve(isNarrower: Bool = false) {
        store?.save(isNarrower: isNarrower) { snapshot() }
    }

    private func snapshot() -> PeripheralSnapshot? {
        let box = changing.withLock { state -> UncheckedReference<State>? in
            // Before the restoration the present state is incomplete.
            state.restoration.map { _ in nil } ?? UncheckedReference(value: state)
        }
        guard let state = box?.value else { return nil }
        let places = Dictionary(state.services.map { (ObjectIdentifier($0.value), $0.key) }) { first, _ in first }
        let handles = Dictionary(state.characteristics.map { (ObjectIdentifier($0.value), $0.key) }) { first, _ in first
        }
        let services = state.services.sorted { $0.key < $1.key }.map { start, service in
            PeripheralSnapshot.Service(
                uuid: service.uuid.uuidString, isPrimary: service.isPrimary, start: start,
                included: (service.includedServices ?? []).compactMap { places[ObjectIdentifier($0)] },
                characteristics: (service.characteristics ?? []).compactMap { characteristic in
                    (characteristic as? CBMutableCharacteristic).map {
                        PeripheralSnapshot.Characteristic($0, valueHandle: handles[ObjectIdentifier($0)] ?? 0)
                    }
                })
        }
        return PeripheralSnapshot(services: services, advertisement: state.advertising.values)
    }

    /// Makes the objects that the delegate is given before its first state update.
    func prepareRestoration(from snapshot: PeripheralSnapshot) -> [String: Any] {
        var restoration = Restoration(advertisement: snapshot.advertisement)
        var byStart: [UInt16: CBMutableService] = [:]
        for kept in snapshot.services {
            guard let uuid = CBUUID(validating: kept.uuid) else { continue }
            let service = CBMutableService(type: uuid, primary: kept.isPrimary)
            let pairs = kept.characteristics.compactMap { kept in CBMutableCharacteristic(kept).map { ($0, kept) } }
            service.characteristics = pairs.map(\.0)
            service.includedServices = kept.included.compactMap { byStart[$0] }
            byStart[kept.start] = service
            restoration.services.append((service, kept.start, pairs.map(\.1.valueHandle)))
            for (characteristic, kept) in pairs {
                for identifier in kept.subscribers {
                    guard let central = absentCentral(identifier, &restoration) else { continue }
                    _ = characteristic.setSubscribed(true, central)
                }
            }
        }
        var values: [String: Any] = [CBPeripheralManagerRestoredStateServicesKey: restoration.services.map(\.service)]
        values[CBPeripheralManagerRestoredStateAdvertisementDataKey] = snapshot.advertisement?.values
        let box = UncheckedReference(value: restoration)
        changing.withLock { $0.restoration = box.value }
        return values
    }

    private func absentCentral(_ identifier: UUID, _ restoration: inout Restoration) -> CBCentral? {
        if let known = restoration.absent.first(where: { $0.identifier == identifier }) { return known }
        guard let address = controller.host.directory.address(for: identifier) else {
            controller.logger.warning(
                "a preserved subscriber is not known any more", metadata: ["peer": "\(identifier)"])
            return nil
        }
        let central = CBCentral(address: address, identifier: identifier)
        restoration.absent.append(central)
        return central
    }

    /// Publishes and advertises again, before the delegate hears of the power.
    func restore() {
        let box = changing.withLock { state in
            defer { state.restoration = nil }
            return UncheckedReference(value: state.restoration)
        }
        guard let restoration = box.value else { return }
        for (service, start, valueHandles) in restoration.services {
            // A service that could not be published before comes only from a manipulated file.
            guard let local = try? makeLocalService(service).service else {
                controller.logger.error(
                    "a service cannot be published again", metadata: ["service": "\(service.uuid)"])
                continue
            }
            register(service, at: start, valueHandles: valueHandles)
            withMachine { machine, client, now in
                machine.publish(local, from: start, for: client, at: now)
            } then: { manager, result in
                manager.republished(service, result)
            }
        }
        if let advertisement = restoration.advertisement { advertise(advertisement.values, isRestored: true) }
        let absent = UncheckedReference(value: restoration.absent)
        let limit = changing.withLock { state in
            state.absent = absent.value
            return state.absenceLimit
        }
        queue.asyncAfter(deadline: .now() + limit) { [weak self] in self?.giveUpAbsent() }
    }

    private func republished(_ service: CBMutableService, _ result: Result<PublishedService, GATTDatabaseError>) {
        switch result {
        case .success(let published):
            unregister(service)
            register(service, as: published)
        case .failure(let error):
            controller.logger.error(
                "a service cannot be published again",
                metadata: ["service": "\(service.uuid)", "error": "\(error)"])
            remove(service)
        }
    }

    /// Takes a restored subscriber back, and tells the delegate of subscriptions that have ended.
    func returned(_ central: CBCentral, on link: LinkID) {
        withMachine { machine, _, _ in
            machine.subscriptions(on: link)
        } then: { manager, handles in
            manager.unsubscribe(central) { !handles.contains($0) }
        }
    }

    private func giveUpAbsent() {
        let absent = changing.withLock { state in
            defer { state.absent = [] }
            return UncheckedReference(value: state.absent)
        }
        for central in absent.value { unsubscribe(central) { _ in true } }
        if !absent.value.isEmpty { reportReady() }
    }

    func unsubscribe(_ central: CBCentral, where isMeant: (UInt16) -> Bool) {
        let all = changing.withLock { UncheckedReference(value: $0.characteristics) }.value
        for (handle, characteristic) in all.sorted(by: { $0.key < $1.key }) where isMeant(handle) {
            guard characteristic.setSubscribed(false, central) else { continue }
            delegate?.peripheralManager(self, central: central, didUnsubscribeFrom: characteristic)
        }
    }
}

extension PeripheralSnapshot.Characteristic {
    fileprivate init(_ characteristic: CBMutableCharacteristic, valueHandle: UInt16) {
        uuid = characteristic.uuid.uuidString
        properties = characteristic.properties.rawValue
        permissions = characteristic.permissions.rawValue
        value = characteristic.frozenValue()
        self.valueHandle = valueHandle
        descriptors = (characteristic.descriptors ?? []).compactMap { descriptor in
            descriptor.preservedValue.map {
                PeripheralSnapshot.Descriptor(uuid: descriptor.uuid.uuidString, value: $0)
            }
        }
        subscribers = (characteristic.subscribedCentrals ?? []).map(\.identifier)
    }
}

extension CBMutableCharacteristic {
    fileprivate convenience init?(_ kept: PeripheralSnapshot.Characteristic) {
        guard let uuid = CBUUID(validating: kept.uuid) else { return nil }
        self.init(
            type: uuid, properties: CBCharacteristicProperties(rawValue: kept.properties), value: kept.value,
            permissions: CBAttributePermissions(rawValue: kept.permissions))
        descriptors = kept.descriptors.compactMap { descriptor in
            CBUUID(validating: descriptor.uuid).map {
                CBMutableDescriptor(type: $0, value: descriptor.value.any)
            }
        }
    }
}

extension PeripheralSnapshot.Value {
    fileprivate var any: Any {
        switch self {
        case .number(let number): NSNumber(value: number)
        case .text(let text): text
        case .octets(let data): data
        }
    }
}
