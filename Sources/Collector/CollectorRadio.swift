// SPDX-License-Identifier: Apache-2.0

import CoreBluetooth
import Dispatch

/// The collector's ways to the radio: the manager of links and scans, and the listener to advertisements.
struct CollectorRadio {
    let controller: CBController
    private(set) var manager: CBCentralManager?
    private(set) var listener: AdvertisementListener?

    init(_ controller: CBController) { self.controller = controller }

    mutating func begin(_ delegate: any CBCentralManagerDelegate, queue: DispatchQueue) {
        let manager = CBCentralManager(
            delegate: delegate, queue: queue, options: [CBCentralManagerOptionControllerKey: controller])
        manager.keepOctets()
        manager.deferOwnRequests()
        self.manager = manager
    }

    /// From now on, the delegate hears nothing.
    mutating func end() {
        manager?.delegate = nil
        manager = nil
    }

    /// Listens to these addresses only. False if the host serves too many clients.
    mutating func listen(
        to addresses: Set<UInt64>, isPassive: Bool, queue: DispatchQueue,
        _ handler: @escaping @Sendable ([AdvertisementListener.Heard]) -> Void
    ) -> Bool {
        if listener == nil { listener = AdvertisementListener(controller: controller, queue: queue, handler: handler) }
        listener?.listen(to: addresses, isPassive: isPassive)
        return listener != nil
    }

    mutating func stopListening() { listener = nil }
}
