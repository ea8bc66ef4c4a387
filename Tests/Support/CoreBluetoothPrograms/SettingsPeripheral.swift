// SPDX-License-Identifier: Apache-2.0

import CoreBluetooth
import Foundation

/// A device whose settings are read and written over the air: values of any length, checked before they are taken, and
/// several at once are taken together or not at all.
final class SettingsPeripheral: NSObject {
    static let service = CBUUID(string: "B7D90001-4C3E-4E0A-8F0C-6B1F0A2C3D4E")
    /// A text of 1…400 octets.
    static let greeting = CBUUID(string: "B7D90002-4C3E-4E0A-8F0C-6B1F0A2C3D4E")
    /// Seconds, uint16, 1…3600.
    static let interval = CBUUID(string: "B7D90003-4C3E-4E0A-8F0C-6B1F0A2C3D4E")
    /// For paired devices alone.
    static let code = CBUUID(string: "B7D90004-4C3E-4E0A-8F0C-6B1F0A2C3D4E")

    /// A code from the range for applications' own use.
    static let outOfRange = CBATTError.Code(rawValue: 0x81) ?? .unlikelyError

    private(set) var isAdvertising = false
    private(set) var greeting = "Hello"
    private(set) var interval: UInt16 = 60
    /// The requests, as text.
    private(set) var log: [String] = []
    /// Called after each answer.
    var onRequest: (() -> Void)?

    private var manager: CBPeripheralManager!

    override init() {
        super.init()
        manager = CBPeripheralManager(delegate: self, queue: nil)
    }

    func setGreeting(_ text: String) { greeting = text }

    func stop() {
        manager.stopAdvertising()
        manager.removeAllServices()
    }

    private func makeService() -> CBMutableService {
        let greeting = CBMutableCharacteristic(
            type: Self.greeting, properties: [.read, .write], value: nil, permissions: [.readable, .writeable])
        greeting.descriptors = [
            CBMutableDescriptor(type: CBUUID(string: CBUUIDCharacteristicUserDescriptionString), value: "Greeting")
        ]
        let interval = CBMutableCharacteristic(
            type: Self.interval, properties: [.read, .write], value: nil, permissions: [.readable, .writeable])
        // uint16, exponent 0, seconds, no namespace.
        let format = Data([0x06, 0x00, 0x03, 0x27, 0x01, 0x00, 0x00])
        interval.descriptors = [
            CBMutableDescriptor(type: CBUUID(string: CBUUIDCharacteristicUserDescriptionString), value: "Interval"),
            CBMutableDescriptor(type: CBUUID(string: CBUUIDCharacteristicFormatString), value: format),
        ]
        let code = CBMutableCharacteristic(
            type: Self.code, properties: .read, value: nil, permissions: .readEncryptionRequired)
        let service = CBMutableService(type: Self.service, primary: true)
        service.characteristics = [greeting, interval, code]
        return service
    }

    private func value(of uuid: CBUUID) -> Data? {
        switch uuid {
        case Self.greeting: return Data(greeting.utf8)
        case Self.interval: return Data([UInt8(interval & 0xFF), UInt8(interval >> 8)])
        case Self.code: return Data("0000".utf8)
        default: return nil
        }
    }

    /// Writes one request into copies of the settings, so that a later invalid request leaves all settings unchanged.
    private func apply(_ request: CBATTRequest, _ values: inout [CBUUID: Data]) -> CBATTError.Code {
        guard let octets = request.value, let old = values[request.characteristic.uuid] else {
            return .attributeNotFound
        }
        guard request.offset <= old.count else { return .invalidOffset }
        values[request.characteristic.uuid] = old.prefix(request.offset) + octets
        return .success
    }

    private func check(_ values: [CBUUID: Data]) -> CBATTError.Code {
        guard let greeting = values[Self.greeting], (1...400).contains(greeting.count),
            String(data: greeting, encoding: .utf8) != nil, let interval = values[Self.interval], interval.count == 2
        else { return .invalidAttributeValueLength }
        return (1...3600).contains(Self.number(interval)) ? .success : Self.outOfRange
    }

    private static func number(_ octets: Data) -> UInt16 { octets.reversed().reduce(0) { $0 << 8 | UInt16($1) } }
}

extension SettingsPeripheral: CBPeripheralManagerDelegate {
    func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) {
        if peripheral.state == .poweredOn { peripheral.add(makeService()) }
    }

    func peripheralManager(_ peripheral: CBPeripheralManager, didAdd service: CBService, error: Error?) {
        if let error = error {
            log.append("not added: \(error.localizedDescription)")
            return
        }
        peripheral.startAdvertising([CBAdvertisementDataServiceUUIDsKey: [Self.service]])
    }

    func peripheralManagerDidStartAdvertising(_ peripheral: CBPeripheralManager, error: Error?) {
        isAdvertising = error == nil
    }

    func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveRead request: CBATTRequest) {
        defer { onRequest?() }
        log.append("read from \(request.offset)")
        guard let value = value(of: request.characteristic.uuid) else {
            peripheral.respond(to: request, withResult: .attributeNotFound)
            return
        }
        guard request.offset <= value.count else {
            log.append("refused")
            peripheral.respond(to: request, withResult: .invalidOffset)
            return
        }
        request.value = value.subdata(in: request.offset..<value.count)
        peripheral.respond(to: request, withResult: .success)
    }

    func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveWrite requests: [CBATTRequest]) {
        log.append("write of \(requests.count)")
        var values: [CBUUID: Data] = [:]
        for uuid in [Self.greeting, Self.interval] { values[uuid] = value(of: uuid) }
        var begun: Set<CBUUID> = []
        for request in requests {
            // A write from offset 0 replaces the value.
            if request.offset == 0, begun.insert(request.characteristic.uuid).inserted {
                values[request.characteristic.uuid] = Data()
            }
            let result = apply(request, &values)
            guard result == .success else {
                peripheral.respond(to: requests[0], withResult: result)
                return
            }
        }
        let result = check(values)
        if result == .success {
            greeting = values[Self.greeting].map { String(decoding: $0, as: UTF8.self) } ?? greeting
            interval = values[Self.interval].map(Self.number) ?? interval
        }
        peripheral.respond(to: requests[0], withResult: result)
    }
}
