// SPDX-License-Identifier: Apache-2.0

import CoreBluetooth
import Dispatch
import Foundation

/// Connects to all named sensors at once, and reads from one of them as fast as possible. Measures how many links an
/// adapter bears, and the rate of one link. Writes nothing, and does not pair.
///
/// `@unchecked Sendable`: all state is used on its queue only.
final class LinkProbe: NSObject, CBCentralManagerDelegate, CBPeripheralDelegate, @unchecked Sendable {
    /// How long to wait for all sensors, and how long to read.
    struct Limits: Sendable {
        var patience: Duration = .seconds(30)
        var reading: Duration = .seconds(5)
    }

    private let queue = DispatchQueue(label: "martlet.selftest.links")
    private let controller: CBController
    private let wanted: Set<String>
    private let limits: Limits
    private var manager: CBCentralManager?
    private var asked: [UUID: (peripheral: CBPeripheral, at: DispatchTime)] = [:]
    private var up: [UUID: CBPeripheral] = [:]
    private var times: [Double] = []
    /// The most simultaneous links.
    private var most = 0
    private var refusal: String?
    private var source: CBCharacteristic?
    private var isReading = false
    private var reads = 0
    private var octets = 0
    private let isSettled = DispatchSemaphore(value: 0)

    /// - Parameter addresses: Addresses in the form of `martlet scan`.
    init(_ controller: CBController, addresses: Set<String>, limits: Limits) {
        (self.controller, wanted, self.limits) = (controller, addresses, limits)
    }

    /// Blocks, at most for the sum of its limits.
    func measure() -> SelfTestReport.Links {
        queue.sync {
            manager = CBCentralManager(
                delegate: self, queue: queue, options: [CBCentralManagerOptionControllerKey: controller])
        }
        _ = isSettled.wait(timeout: .now() + limits.patience / .seconds(1))
        let begin = DispatchTime.now()
        let mayRead = queue.sync {
            manager?.stopScan()
            isReading = source != nil
            if let source { source.service?.peripheral?.readValue(for: source) }
            return isReading
        }
        if mayRead { Thread.sleep(forTimeInterval: limits.reading / .seconds(1)) }
        return queue.sync {
            let seconds = Double(DispatchTime.now().uptimeNanoseconds - begin.uptimeNanoseconds) / 1e9
            isReading = false
            manager?.delegate = nil
            for (peripheral, _) in asked.values { manager?.cancelPeripheralConnection(peripheral) }
            let sorted = times.sorted()
            return SelfTestReport.Links(
                asked: wanted.count, heard: asked.count, up: most, refusal: refusal,
                connectMedianMs: sorted.isEmpty ? nil : Int(sorted[sorted.count / 2]),
                readsASecond: reads == 0 ? nil : (Double(reads) / seconds * 10).rounded() / 10,
                octetsASecond: reads == 0 ? nil : Int(Double(octets) / seconds))
        }
    }

    private func settleIfDone() {
        let isWaiting = asked.count < wanted.count || up.count < asked.count && refusal == nil
        if !isWaiting, source != nil || up.isEmpty { isSettled.signal() }
    }

    // MARK: Links

    func centralManagerDidUpdateState(_ central: CBCentralManager) {
        guard central.state == .poweredOn else { return }
        central.scanForPeripherals(withServices: nil, options: [CBCentralManagerScanOptionAllowDuplicatesKey: true])
    }

    func centralManager(
        _ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any],
        rssi RSSI: NSNumber
    ) {
        guard wanted.contains(peripheral.address.uppercased()), asked[peripheral.identifier] == nil else { return }
        asked[peripheral.identifier] = (peripheral, .now())
        central.connect(peripheral, options: nil)
    }

    func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
        guard let (_, begin) = asked[peripheral.identifier] else { return }
        up[peripheral.identifier] = peripheral
        most = max(most, up.count)
        times.append(Double(DispatchTime.now().uptimeNanoseconds - begin.uptimeNanoseconds) / 1e6)
        peripheral.delegate = self
        if source == nil { peripheral.discoverServices(nil) }
        settleIfDone()
    }

    func centralManager(
        _ central: CBCentralManager, didFailToConnect peripheral: CBPeripheral, error: (any Error)?
    ) {
        guard let error = error as? CBError, error.code == .connectionLimitReached else {
            // No limit of the adapter: most links succeed at the second try. An adapter that is not ready would refuse
            // each try at once.
            if central.state == .poweredOn { central.connect(peripheral, options: nil) }
            return
        }
        refusal = error.localizedDescription
        settleIfDone()
    }

    func centralManager(
        _ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral, error: (any Error)?
    ) {
        up[peripheral.identifier] = nil
        if source?.service?.peripheral === peripheral { (source, isReading) = (nil, false) }
    }

    // MARK: Reads

    func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: (any Error)?) {
        for service in peripheral.services ?? [] { peripheral.discoverCharacteristics(nil, for: service) }
    }

    func peripheral(
        _ peripheral: CBPeripheral, didDiscoverCharacteristicsFor service: CBService, error: (any Error)?
    ) {
        guard source == nil else { return }
        // A characteristic that needs pairing refuses the first read; then the next characteristic is tried.
        if let readable = service.characteristics?.first(where: { $0.properties.contains(.read) }) {
            peripheral.readValue(for: readable)
        }
    }

    func peripheral(
        _ peripheral: CBPeripheral, didUpdateValueFor characteristic: CBCharacteristic, error: (any Error)?
    ) {
        guard error == nil else { return }
        if source == nil {
            source = characteristic
            settleIfDone()
        }
        guard isReading, characteristic === source else { return }
        reads += 1
        octets += characteristic.value?.count ?? 0
        peripheral.readValue(for: characteristic)
    }
}
