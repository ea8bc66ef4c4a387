// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import BluetoothHost
import Foundation
import GATT
import Logging
import Synchronization

/// State preservation: the scan, the peripherals with a connection or a pending connection, and the subscriptions.
extension CBCentralManager {
    /// The manager's tasks once the power is on.
    struct Restoration {
        /// Weak: a peripheral that the application has released is not connected again.
        var peripherals: [WeakPeripheral] = []
        var scan: CentralSnapshot.Scan?

        func has(_ peripheral: CBPeripheral) -> Bool { peripherals.contains { $0.peripheral === peripheral } }
    }

    struct WeakPeripheral {
        weak var peripheral: CBPeripheral?
    }

    /// Keeps the present state; nothing happens without a restore identifier.
    /// `isNarrower`: something was taken away; returns when that is on disk.
    func preserve(isNarrower: Bool = false) {
        store?.save(isNarrower: isNarrower) { snapshot() }
    }

    private func snapshot() -> CentralSnapshot? {
        let box = changing.withLock { state -> UncheckedReference<(CentralSnapshot.Scan?, [CBPeripheral])>? in
            // Before the restoration the present state is incomplete.
            state.restoration == nil ? UncheckedReference(value: (state.scan, state.peripherals.wanted)) : nil
        }
        guard let (scan, peripherals) = box?.value else { return nil }
        let kept = peripherals.map(CentralSnapshot.Peripheral.init).sorted {
            $0.identifier.uuidString < $1.identifier.uuidString
        }
        return CentralSnapshot(scan: scan, peripherals: kept)
    }

    /// Makes the objects that the delegate is given before its first state update.
    func prepareRestoration(from snapshot: CentralSnapshot) -> [String: Any] {
        let peripherals = snapshot.peripherals.compactMap { kept -> CBPeripheral? in
            guard let address = controller.host.directory.address(for: kept.identifier) else {
                controller.logger.warning(
                    "a preserved peripheral is not known any more", metadata: ["peer": "\(kept.identifier)"])
                return nil
            }
            let peripheral = peripheral(at: address)
            peripheral.changing.withLock { state in
                state.state = .connecting
                state.isWantedByApplication = true
                state.name = kept.name
                state.reconnects = kept.reconnects
                state.subscriptions = kept.subscriptions
                state.held = []
            }
            if let cache = controller.host.cacheStore.cache(of: address) { peripheral.restore(cache) }
            changing.withLock { $0.peripherals.release(peripheral) }
            return peripheral
        }
        var values: [String: Any] = [:]
        if !peripherals.isEmpty { values[CBCentralManagerRestoredStatePeripheralsKey] = peripherals }
        if let scan = snapshot.scan {
            values[CBCentralManagerRestoredStateScanServicesKey] = scan.services?.compactMap { CBUUID(validating: $0) }
            values[CBCentralManagerRestoredStateScanOptionsKey] = scan.options
        }
        let restoration = Restoration(
            peripherals: peripherals.map { WeakPeripheral(peripheral: $0) }, scan: snapshot.scan)
        let box = UncheckedReference(value: restoration)
        changing.withLock { $0.restoration = box.value }
        return values
    }

    /// Connects and scans again, before the delegate hears that the power is on.
    func restore() {
        let box = changing.withLock { state in
            defer { state.restoration = nil }
            return UncheckedReference(value: state.restoration)
        }
        guard let restoration = box.value else { return }
        for peripheral in restoration.peripherals.compactMap(\.peripheral) where peripheral.state == .connecting {
            let address = peripheral.peerAddress
            withMachine { machine, client, now in machine.connect(address, for: client, at: now) }
        }
        if let scan = restoration.scan {
            scanForPeripherals(
                withServices: scan.services?.compactMap { CBUUID(validating: $0) }, options: scan.options)
        }
        preserve()
    }

    // MARK: Subscriptions

    /// A restored peripheral is connected: looks up its services, which costs nothing if they are known, and subscribes
    /// again.
    func resubscribe(_ peripheral: CBPeripheral) {
        let isNeeded = peripheral.changing.withLock { state in
            // The services may have changed while nobody was there: they are asked for before they are used.
            let waits = state.held.map { !$0.isEmpty || state.services != nil } ?? false
            if !waits { state.held = nil }
            return waits || !state.subscriptions.isEmpty
        }
        guard isNeeded else { return }
        request(.restoredServices, on: peripheral) { .gatt(.discoverServices(nil)) }
    }

    /// Drops the services of an earlier run if the peripheral has other services now: the host does not know objects
    /// from before the link.
    func dropChanged(_ found: [RemoteService], of peripheral: CBPeripheral) {
        let isChanged = (peripheral.services ?? []).contains { known in
            !found.contains { $0.handles == known.handles && $0.uuid == known.uuid.value }
        }
        if isChanged { servicesChanged(on: peripheral, 1, 0xFFFF) }
    }

    /// Notes the found services; the host's own services only if they have a subscription.
    func storeRestored(_ found: [RemoteService], of peripheral: CBPeripheral) {
        let wanted = Set(peripheral.changing.withLock { $0.subscriptions }.map(\.service))
        let visible = found.filter { !CBService.belongsToHost($0.uuid) || wanted.contains($0.uuid.description) }
        storeServices(visible, areAll: false, of: peripheral)
    }

    func restoredServices(of peripheral: CBPeripheral) {
        let wanted = Set(peripheral.changing.withLock { $0.subscriptions }.map(\.service))
        for service in peripheral.services ?? [] where wanted.contains(service.uuid.uuidString) {
            request(.restoredCharacteristics(service), on: peripheral) {
                .gatt(.discoverCharacteristics(service.handles, nil))
            }
        }
    }

    func restoredCharacteristics(of service: CBService, on peripheral: CBPeripheral) {
        let wanted = peripheral.changing.withLock { state in
            let found = state.subscriptions.filter { $0.service == service.uuid.uuidString }
            state.subscriptions.removeAll { $0.service == service.uuid.uuidString }
            return Set(found.map(\.characteristic))
        }
        for characteristic in service.characteristics ?? [] where wanted.contains(characteristic.uuid.uuidString) {
            peripheral.setNotifyValue(true, for: characteristic)
        }
    }
}

extension CentralSnapshot.Peripheral {
    fileprivate init(_ peripheral: CBPeripheral) {
        identifier = peripheral.identifier
        let (name, reconnects, pending) = peripheral.changing.withLock { ($0.name, $0.reconnects, $0.subscriptions) }
        self.name = name
        self.reconnects = reconnects
        subscriptions = pending + peripheral.presentSubscriptions.filter { !pending.contains($0) }
    }
}

extension CBPeripheral {
    /// The present subscriptions.
    var presentSubscriptions: [CentralSnapshot.Subscription] {
        (services ?? []).flatMap { service in
            (service.characteristics ?? []).filter(\.isNotifying).map {
                CentralSnapshot.Subscription(service: service.uuid.uuidString, characteristic: $0.uuid.uuidString)
            }
        }
    }
}

extension CentralSnapshot.Scan {
    init(_ services: [CBUUID]?, _ demand: ScanDemand) {
        self.services = services?.map(\.uuidString)
        solicitedServices = demand.solicitedServices.map(\.description).sorted()
        allowsDuplicates = demand.allowsDuplicates
        isBackground = demand.isBackground
    }

    fileprivate var options: [String: Any] {
        var options: [String: Any] = [
            CBCentralManagerScanOptionAllowDuplicatesKey: NSNumber(value: allowsDuplicates),
            CBCentralManagerScanOptionSolicitedServiceUUIDsKey: solicitedServices.compactMap { CBUUID(validating: $0) },
        ]
        if isBackground { options[CBCentralManagerScanOptionBackgroundKey] = NSNumber(value: true) }
        return options
    }
}
