// SPDX-License-Identifier: Apache-2.0

import ATT
import BluetoothCore
import BluetoothHost
import Foundation
import GATT
import Synchronization

/// A peripheral of an earlier run: its discovered objects exist before the connection, and requests wait for the
/// connection. On Apple's systems the connection itself would have gone on.
extension CBPeripheral {
    /// The most requests that wait for the connection; the same number may wait for a connected peer.
    static let heldLimit = GATTClientMachine.capacity

    /// Makes the objects of the known services. The connection shows whether they are still right: if not, the library
    /// calls `didModifyServices`.
    func restore(_ cache: GATTClientCache) {
        let subscriptions = changing.withLock { $0.subscriptions }
        let named = Set(subscriptions.map(\.service))
        let known = cache.services.filter { !CBService.belongsToHost($0.uuid) || named.contains($0.uuid.description) }
        guard !known.isEmpty else { return }
        let services = known.map { CBService($0, peripheral: self, isPrimary: true) }
        var characteristics: [UInt16: CBCharacteristic] = [:]
        for service in services {
            service.includedServices = cache.includedServices[service.handles]?.map { included in
                services.first { $0.handles == included.handles }
                    ?? CBService(included, peripheral: self, isPrimary: false)
            }
            service.characteristics = cache.characteristics[service.handles]?.map { found in
                let characteristic = CBCharacteristic(found, service: service)
                if case .gatt(.discoverDescriptors(let range)) = Self.discovery(ofDescriptorsOf: characteristic) {
                    characteristic.descriptors = cache.descriptors[range]?.map {
                        CBDescriptor($0, characteristic: characteristic)
                    }
                }
                let subscription = CentralSnapshot.Subscription(
                    service: service.uuid.uuidString, characteristic: characteristic.uuid.uuidString)
                if subscriptions.contains(subscription) { characteristic.isNotifying = true }
                characteristics[characteristic.valueHandle] = characteristic
                return characteristic
            }
        }
        changing.withLock { ($0.services, $0.characteristics) = (services, characteristics) }
    }

    /// Keeps a request until there is a connection; false if requests do not wait, or if too many wait already.
    func hold(_ request: PeripheralRequest.Held) -> Bool {
        changing.withLock { state in
            guard let held = state.held, state.state == .connecting || state.link != nil,
                held.count < Self.heldLimit
            else { return false }
            state.held?.append(request)
            return true
        }
    }
}

extension CBCentralManager {
    /// Sends the waiting requests, or fails them without a connection. From now on no request waits.
    func releaseHeld(of peripheral: CBPeripheral) {
        let held = peripheral.changing.withLock { state in
            defer { state.held = nil }
            return state.held ?? []
        }
        for held in held {
            let box = changing.withLock { UncheckedReference(value: $0.requests[held.id.number]) }
            // Nil: the caller has given the request up.
            if let pending = box.value { submit(pending.request, held.id, on: peripheral, held.action) }
        }
    }
}
