// SPDX-License-Identifier: Apache-2.0

import BluetoothHost
import CoreBluetooth
import Dispatch
import Foundation

/// Scans with an adapter and counts advertisements.
///
/// `@unchecked Sendable`: all state is used on its queue only.
final class AdvertisementCount: NSObject, CBCentralManagerDelegate, @unchecked Sendable {
    private let queue = DispatchQueue(label: "martlet.selftest")
    private let controller: CBController
    private var manager: CBCentralManager?
    private var packets = 0
    private var devices: Set<UUID> = []
    private var last: DispatchTime?
    private var longestGap = 0.0
    private let ready = DispatchSemaphore(value: 0)

    init(_ controller: CBController) { self.controller = controller }

    /// Begins; false if the adapter is not ready within `limit`.
    func begin(within limit: Duration) -> Bool {
        queue.sync {
            manager = CBCentralManager(
                delegate: self, queue: queue, options: [CBCentralManagerOptionControllerKey: controller])
        }
        return ready.wait(timeout: .now() + limit / .seconds(1)) == .success && controller.isPoweredOn
    }

    /// Counts for `time`, then stops.
    func end(after time: Duration) -> SelfTestReport.Advertisements {
        let begin = DispatchTime.now()
        Thread.sleep(forTimeInterval: time / .seconds(1))
        return queue.sync {
            manager?.stopScan()
            manager?.delegate = nil
            let now = DispatchTime.now()
            let seconds = Double(now.uptimeNanoseconds - begin.uptimeNanoseconds) / 1e9
            longestGap = max(longestGap, Double(now.uptimeNanoseconds - (last ?? begin).uptimeNanoseconds) / 1e6)
            return SelfTestReport.Advertisements(
                seconds: (seconds * 10).rounded() / 10, packets: packets, devices: devices.count,
                packetsASecond: (Double(packets) / seconds * 10).rounded() / 10, longestGapMs: Int(longestGap))
        }
    }

    func centralManagerDidUpdateState(_ central: CBCentralManager) {
        switch central.state {
        case .unknown, .resetting: return
        // A person has to remove the obstacle, so the test does not wait.
        case .unsupported, .unauthorized, .poweredOff:
            ready.signal()
            return
        case .poweredOn: break
        }
        central.scanForPeripherals(withServices: nil, options: [CBCentralManagerScanOptionAllowDuplicatesKey: true])
        ready.signal()
    }

    func centralManager(
        _ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any],
        rssi RSSI: NSNumber
    ) {
        let now = DispatchTime.now()
        if let last { longestGap = max(longestGap, Double(now.uptimeNanoseconds - last.uptimeNanoseconds) / 1e6) }
        last = now
        packets += 1
        // The limit bounds the memory for invented addresses.
        if devices.count < 100_000 { devices.insert(peripheral.identifier) }
    }
}
