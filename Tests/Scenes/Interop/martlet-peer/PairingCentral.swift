// SPDX-License-Identifier: Apache-2.0

import CoreBluetooth
import Foundation

/// The Central: connects to the device at an address, pairs, and reads the value for bonded peers.
final class PairingCentral: PairingEnd, CBCentralManagerDelegate, CBPeripheralDelegate, @unchecked Sendable {
    private var manager: CBCentralManager?
    private var wanted: String?
    private var peripheral: CBPeripheral?

    override init(controller: CBController, name: String) {
        super.init(controller: controller, name: name)
        manager = CBCentralManager(
            delegate: self, queue: queue, options: [CBCentralManagerOptionControllerKey: controller])
    }

    override func carryOut(_ command: Command) {
        switch command.do {
        case "connect":
            wanted = command.address
            manager?.scanForPeripherals(withServices: nil)
        case "reconnect":
            if let peripheral { manager?.connect(peripheral) }
        case "disconnect":
            if let peripheral { manager?.cancelPeripheralConnection(peripheral) }
        case "pair":
            guard let peripheral else { return }
            let controller = controller
            pair(command) { try await controller.pair(peripheral, options: $0) }
        case "read":
            guard let peripheral else { return }
            Task { await read(from: peripheral) }
        default:
            super.carryOut(command)
        }
    }

    private func read(from peripheral: CBPeripheral) async {
        do {
            let characteristic = try await peripheral.characteristic(
                ReferenceDatabase.encrypted, in: ReferenceDatabase.main, timeout: .seconds(20))
            let value = try await peripheral.value(for: characteristic, timeout: .seconds(20))
            Report.line(["event": "read", "value": value.hexadecimal])
        } catch let error as CBATTError {
            Report.line(["event": "read", "code": error.code.rawValue])
        } catch {
            Report.line(["event": "read", "code": -1, "text": "\(error)"])
        }
    }

    func centralManagerDidUpdateState(_ central: CBCentralManager) {
        if central.state == .poweredOn { Report.line(["event": "ready"]) }
    }

    func centralManager(
        _ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any],
        rssi RSSI: NSNumber
    ) {
        guard let wanted, peripheral.address == wanted else { return }
        self.wanted = nil
        self.peripheral = peripheral
        peripheral.delegate = self
        central.stopScan()
        central.connect(peripheral)
    }

    func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
        Report.line(["event": "connected", "address": peripheral.address])
    }

    func centralManager(_ central: CBCentralManager, didFailToConnect peripheral: CBPeripheral, error: (any Error)?) {
        report("disconnected", error)
    }

    func centralManager(
        _ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral, error: (any Error)?
    ) {
        report("disconnected", error)
    }

    private func report(_ event: String, _ error: (any Error)?) {
        let error = error as NSError?
        Report.line([
            "event": event, "domain": error?.domain ?? "", "code": error?.code ?? 0,
            "text": error?.localizedDescription ?? "",
        ])
    }
}
