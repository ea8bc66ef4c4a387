// SPDX-License-Identifier: Apache-2.0

import CoreBluetooth
import Foundation

/// Connects to many sensors, discovers all attributes of each and subscribes to one value, and reports the growth of the resident memory.
final class Discoveries: NSObject, CBCentralManagerDelegate, CBPeripheralDelegate, @unchecked Sendable {
    // Sound: used on the manager's queue alone.
    private let queue: DispatchQueue
    private let links: Int
    private var peripherals: [UUID: CBPeripheral] = [:]
    private var outstanding: [UUID: Int] = [:]
    private var subscribed: Set<UUID> = []
    private var before = ProcessMemory()

    private static let batteryLevel = CBUUID(string: "2A19")
    /// Time for the release of temporary memory, such as packets under way.
    private static let pause = DispatchTimeInterval.seconds(2)

    init(links: Int, queue: DispatchQueue) {
        self.links = links
        self.queue = queue
    }

    func centralManagerDidUpdateState(_ central: CBCentralManager) {
        if central.state == .poweredOn { central.scanForPeripherals(withServices: nil) }
    }

    func centralManager(
        _ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any],
        rssi RSSI: NSNumber
    ) {
        guard peripherals.count < links, peripherals.updateValue(peripheral, forKey: peripheral.identifier) == nil,
            peripherals.count == links
        else { return }
        central.stopScan()
        before = ProcessMemory()
        for peripheral in peripherals.values {
            peripheral.delegate = self
            central.connect(peripheral)
        }
    }

    func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
        peripheral.discoverServices(nil)
    }

    func centralManager(_ central: CBCentralManager, didFailToConnect peripheral: CBPeripheral, error: (any Error)?) {
        fail("could not connect to \(peripheral): \(String(describing: error))")
    }

    func centralManager(
        _ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral, error: (any Error)?
    ) {
        fail("\(peripheral) has gone: \(String(describing: error))")
    }

    func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: (any Error)?) {
        guard let services = peripheral.services, !services.isEmpty else {
            fail("no service: \(String(describing: error))")
        }
        outstanding[peripheral.identifier] = services.count
        for service in services { peripheral.discoverCharacteristics(nil, for: service) }
    }

    func peripheral(
        _ peripheral: CBPeripheral, didDiscoverCharacteristicsFor service: CBService, error: (any Error)?
    ) {
        if let error { fail("no characteristics: \(error)") }
        outstanding[peripheral.identifier, default: 0] -= 1
        guard outstanding[peripheral.identifier] == 0 else { return }
        let all = peripheral.services?.flatMap { $0.characteristics ?? [] } ?? []
        guard let level = all.first(where: { $0.uuid == Self.batteryLevel }) else { fail("no battery level") }
        peripheral.setNotifyValue(true, for: level)
    }

    func peripheral(
        _ peripheral: CBPeripheral, didUpdateNotificationStateFor characteristic: CBCharacteristic,
        error: (any Error)?
    ) {
        if let error { fail("could not subscribe: \(error)") }
        subscribed.insert(peripheral.identifier)
        guard subscribed.count == links else { return }
        queue.asyncAfter(deadline: .now() + Self.pause) { [self] in report() }
    }

    private func report() -> Never {
        let after = ProcessMemory()
        let services = peripherals.values.flatMap { $0.services ?? [] }
        let characteristics = services.flatMap { $0.characteristics ?? [] }
        print(
            """
            {"links": \(subscribed.count), "services": \(services.count), \
            "characteristics": \(characteristics.count), "before_kib": \(before.residentKiB), \
            "after_kib": \(after.residentKiB), "heap_growth_kib": \(after.anonymousKiB - before.anonymousKiB)}
            """)
        exit(0)
    }
}

/// The memory of this process now, in KiB.
private struct ProcessMemory {
    /// All resident memory, code included.
    private(set) var residentKiB = 0
    /// Resident memory without mapped files: the heap and the stacks.
    private(set) var anonymousKiB = 0

    init() {
        guard let status = try? String(contentsOfFile: "/proc/self/status", encoding: .utf8) else { return }
        for line in status.split(separator: "\n") {
            let words = line.split(whereSeparator: \.isWhitespace)
            guard words.count > 1, let number = Int(words[1]) else { continue }
            if words[0] == "VmRSS:" { residentKiB = number }
            if words[0] == "RssAnon:" { anonymousKiB = number }
        }
    }
}
