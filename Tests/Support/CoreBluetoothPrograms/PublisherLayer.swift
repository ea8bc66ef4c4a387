// SPDX-License-Identifier: Apache-2.0

import CoreBluetooth
import Foundation

// A library that turns delegates and properties into publishers, as in Combine.

/// Passes values on to its subscribers.
final class Subject<Output> {
    private var sinks: [(Output) -> Void] = []

    func sink(_ receive: @escaping (Output) -> Void) { sinks.append(receive) }
    func send(_ value: Output) { for sink in sinks { sink(value) } }
}

/// The needs of every central; conforms, and leaves out the optional methods.
class CentralProxy: NSObject, CBCentralManagerDelegate, CBPeripheralDelegate {
    let state = Subject<CBManagerState>()
    let discovered = Subject<CBPeripheral>()
    let connected = Subject<CBPeripheral>()
    let lost = Subject<(peripheral: CBPeripheral, error: Error?)>()
    let restored = Subject<[CBPeripheral]>()
    let services = Subject<[CBUUID]>()

    func centralManagerDidUpdateState(_ central: CBCentralManager) { state.send(central.state) }

    func centralManager(
        _ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any],
        rssi RSSI: NSNumber
    ) { discovered.send(peripheral) }

    func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) { connected.send(peripheral) }
}

/// Adds disconnections, restoration and services to an inherited conformance. On Apple's systems no more is needed.
class RestoringProxy: CentralProxy {
    func centralManager(_ central: CBCentralManager, willRestoreState dict: [String: Any]) {
        restored.send(dict[CBCentralManagerRestoredStatePeripheralsKey] as? [CBPeripheral] ?? [])
    }

    func centralManager(_ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral, error: Error?) {
        lost.send((peripheral, error))
    }

    func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: Error?) {
        services.send(peripheral.services?.map(\.uuid) ?? [])
    }
}

/// Declares the inherited methods as well.
class ConformingProxy: RestoringProxy, CBCentralManagerSubclassDelegate, CBPeripheralSubclassDelegate {}

/// Publishes properties, which change without a delegate.
final class PropertyPublisher {
    private(set) var states: [CBPeripheralState] = []
    private(set) var changes: [String] = []
    private(set) var scans: [Bool] = []
    private var observations: [NSKeyValueObservation] = []

    func follow(_ peripheral: CBPeripheral) {
        observations.append(
            peripheral.observe(\.state, options: [.initial, .new, .old]) { [weak self] peripheral, change in
                guard let self, let state = change.newValue else { return }
                states.append(state)
                changes.append("\(change.oldValue.map { "\($0)" } ?? "-") \(change.kind) \(change.isPrior)")
            })
    }

    func follow(_ manager: CBCentralManager) {
        observations.append(
            manager.observe(\.isScanning, options: .new) { [weak self] manager, change in
                self?.scans.append(change.newValue ?? manager.isScanning)
            })
    }

    /// Invalidates one observation, and releases the others.
    func stop() {
        observations.first?.invalidate()
        observations = []
    }
}
