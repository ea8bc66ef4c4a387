// SPDX-License-Identifier: Apache-2.0

import CoreBluetooth
import Foundation

/// The reference database as a peripheral manager publishes it, with a line for each call of the delegate.
///
/// Everything is on the manager's queue.
final class PeripheralServer: NSObject, CBPeripheralManagerDelegate, @unchecked Sendable {
    private let name: String
    private let queue = DispatchQueue(label: "martlet-peer")
    private let battery = CBMutableService(type: ReferenceDatabase.battery, primary: true)
    private let included = CBMutableService(type: ReferenceDatabase.included, primary: true)
    private let main = CBMutableService(type: ReferenceDatabase.main, primary: true)
    private let changing = CBMutableService(type: ReferenceDatabase.changing, primary: true)
    private var controller: CBController?
    private var manager: CBPeripheralManager?
    private var toAdd: [CBMutableService] = []
    private var isChanged = false

    private var subscribable: [CBUUID: CBMutableCharacteristic] = [:]
    /// Written and kept values, by characteristic.
    private var stored: [CBUUID: Data] = [:]
    private var came: UInt32 = 0
    private var misplaced: UInt32 = 0
    private var psm: CBL2CAPPSM = 0
    private var channels: [ChannelEcho] = []
    /// Values that wait until the manager accepts more.
    private var waiting: [(value: Data, characteristic: CBMutableCharacteristic)] = []

    init(name: String) {
        self.name = name
        super.init()
        buildServices()
    }

    func start(on controller: CBController) {
        self.controller = controller
        manager = CBPeripheralManager(
            delegate: self, queue: queue, options: [CBPeripheralManagerOptionControllerKey: controller])
    }

    func stop() {
        queue.sync {
            manager?.stopAdvertising()
            manager?.removeAllServices()
        }
    }

    // MARK: Publishing

    private func buildServices() {
        func characteristic(
            _ uuid: CBUUID, _ properties: CBCharacteristicProperties, value: Data? = nil,
            _ permissions: CBAttributePermissions
        ) -> CBMutableCharacteristic {
            CBMutableCharacteristic(type: uuid, properties: properties, value: value, permissions: permissions)
        }
        func notifying(_ uuid: CBUUID, _ properties: CBCharacteristicProperties) -> CBMutableCharacteristic {
            let new = characteristic(uuid, properties, .readable)
            subscribable[uuid] = new
            return new
        }
        let level = characteristic(ReferenceDatabase.batteryLevel, [.read, .notify], .readable)
        battery.characteristics = [level]
        included.characteristics = [
            characteristic(ReferenceDatabase.includedValue, .read, value: Data("included value".utf8), .readable)
        ]
        changing.characteristics = [
            characteristic(ReferenceDatabase.uuid(0x0201), .read, value: Data("changed".utf8), .readable)
        ]
        let described = notifying(ReferenceDatabase.described, [.notify, .indicate])
        described.descriptors = [
            CBMutableDescriptor(
                type: CBUUID(string: CBUUIDCharacteristicUserDescriptionString), value: ReferenceDatabase.description),
            CBMutableDescriptor(
                type: CBUUID(string: CBUUIDCharacteristicFormatString), value: ReferenceDatabase.format),
        ]
        main.includedServices = [included, battery]
        main.characteristics = [
            characteristic(ReferenceDatabase.constant, .read, value: ReferenceDatabase.constantValue, .readable),
            characteristic(ReferenceDatabase.dynamic, .read, .readable),
            characteristic(ReferenceDatabase.long, .read, .readable),
            characteristic(ReferenceDatabase.writable, [.read, .write], [.readable, .writeable]),
            characteristic(ReferenceDatabase.counting, [.read, .writeWithoutResponse], [.readable, .writeable]),
            notifying(ReferenceDatabase.notifying, .notify),
            notifying(ReferenceDatabase.indicating, .indicate),
            characteristic(ReferenceDatabase.control, .write, .writeable),
            described,
            characteristic(ReferenceDatabase.writeOnly, .write, .writeable),
            characteristic(ReferenceDatabase.encrypted, .read, .readEncryptionRequired),
            characteristic(ReferenceDatabase.refusing, [.read, .write], [.readable, .writeable]),
            characteristic(ReferenceDatabase.pair[0], [.read, .write], [.readable, .writeable]),
            characteristic(ReferenceDatabase.pair[1], [.read, .write], [.readable, .writeable]),
            characteristic(ReferenceDatabase.psm, .read, .readable),
        ]
    }

    func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) {
        Report.line(["event": "state", "state": peripheral.state.rawValue])
        guard peripheral.state == .poweredOn else { return }
        toAdd = [battery, included, main]
        addNext(to: peripheral)
    }

    private func addNext(to peripheral: CBPeripheralManager) {
        guard toAdd.isEmpty else { return peripheral.add(toAdd.removeFirst()) }
        peripheral.publishL2CAPChannel(withEncryption: false)
    }

    func peripheralManager(_ peripheral: CBPeripheralManager, didAdd service: CBService, error: (any Error)?) {
        Report.line(["event": "added", "service": service.uuid.uuidString, "error": error.map { "\($0)" } ?? ""])
        if service.uuid != ReferenceDatabase.changing { addNext(to: peripheral) }
    }

    func peripheralManager(
        _ peripheral: CBPeripheralManager, didPublishL2CAPChannel PSM: CBL2CAPPSM, error: (any Error)?
    ) {
        Report.line(["event": "published", "psm": Int(PSM), "error": error.map { "\($0)" } ?? ""])
        psm = PSM
        peripheral.startAdvertising([
            CBAdvertisementDataLocalNameKey: name, CBAdvertisementDataServiceUUIDsKey: [ReferenceDatabase.main],
        ])
    }

    func peripheralManagerDidStartAdvertising(_ peripheral: CBPeripheralManager, error: (any Error)?) {
        Report.line(["event": "advertising", "error": error.map { "\($0)" } ?? ""])
    }

    // MARK: Reading and writing

    func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveRead request: CBATTRequest) {
        Report.line(["event": "read", "uuid": request.characteristic.uuid.uuidString, "offset": request.offset])
        guard request.characteristic.uuid != ReferenceDatabase.refusing else {
            return peripheral.respond(to: request, withResult: .readRefused)
        }
        let value = value(of: request.characteristic.uuid)
        guard request.offset <= value.count else {
            return peripheral.respond(to: request, withResult: .invalidOffset)
        }
        request.value = value.dropFirst(request.offset)
        peripheral.respond(to: request, withResult: .success)
    }

    private func value(of uuid: CBUUID) -> Data {
        switch uuid {
        case ReferenceDatabase.dynamic: ReferenceDatabase.dynamicValue
        case ReferenceDatabase.long: ReferenceDatabase.longValue
        case ReferenceDatabase.encrypted: ReferenceDatabase.encryptedValue
        case ReferenceDatabase.batteryLevel: Data([97])
        case ReferenceDatabase.psm: Data([UInt8(truncatingIfNeeded: psm), UInt8(truncatingIfNeeded: psm >> 8)])
        case ReferenceDatabase.counting:
            ReferenceDatabase.littleEndian(came) + ReferenceDatabase.littleEndian(misplaced)
        default: stored[uuid] ?? Data()
        }
    }

    /// All requests, or none: the server finds a refusal before it keeps any value.
    func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveWrite requests: [CBATTRequest]) {
        guard let first = requests.first else { return }
        Report.line([
            "event": "write", "uuids": requests.map(\.characteristic.uuid.uuidString),
            "offsets": requests.map(\.offset),
        ])
        var kept = stored
        for request in requests {
            if let refusal = refusal(of: request, in: &kept) {
                return peripheral.respond(to: first, withResult: refusal)
            }
        }
        stored = kept
        peripheral.respond(to: first, withResult: .success)
        for request in requests { carryOut(request, peripheral) }
    }

    private func refusal(of request: CBATTRequest, in values: inout [CBUUID: Data]) -> CBATTError.Code? {
        let (uuid, value) = (request.characteristic.uuid, request.value ?? Data())
        guard uuid != ReferenceDatabase.refusing else { return .writeRefused }
        // A part continues the earlier parts; the first replaces the value.
        let before = request.offset == 0 ? Data() : values[uuid] ?? Data()
        guard request.offset <= before.count else { return .invalidOffset }
        let new = before.prefix(request.offset) + value
        guard new.count <= (uuid == ReferenceDatabase.pair[1] ? 4 : 512) else { return .invalidAttributeValueLength }
        values[uuid] = new
        return nil
    }

    private func carryOut(_ request: CBATTRequest, _ peripheral: CBPeripheralManager) {
        let value = request.value ?? Data()
        switch request.characteristic.uuid {
        case ReferenceDatabase.counting:
            if ReferenceDatabase.number(value) != came { misplaced += 1 }
            came += 1
        case ReferenceDatabase.control:
            guard let command = value.first.flatMap(ReferenceDatabase.Command.init(rawValue:)) else { return }
            perform(command, Int(value.dropFirst().first ?? 0), for: request.central, peripheral)
        default: break
        }
    }

    // MARK: Commands

    private func perform(
        _ command: ReferenceDatabase.Command, _ count: Int, for central: CBCentral, _ peripheral: CBPeripheralManager
    ) {
        let sending: (uuid: CBUUID, length: Int)
        switch command {
        case .notify: sending = (ReferenceDatabase.notifying, 4)
        case .indicate: sending = (ReferenceDatabase.indicating, 4)
        case .flood: sending = (ReferenceDatabase.described, central.maximumUpdateValueLength)
        case .changeServices:
            isChanged ? peripheral.remove(changing) : peripheral.add(changing)
            isChanged.toggle()
            return
        case .openWindow:
            controller?.pairingPolicy.incoming = .open
            return
        case .disconnect: return  // a peripheral has no call for this
        }
        guard let characteristic = subscribable[sending.uuid] else { return }
        for index in 0..<count {
            let value = ReferenceDatabase.value(index)
            waiting.append((value + Data(count: sending.length - value.count), characteristic))
        }
        sendWaiting(peripheral)
    }

    private func sendWaiting(_ peripheral: CBPeripheralManager) {
        while let next = waiting.first {
            guard peripheral.updateValue(next.value, for: next.characteristic, onSubscribedCentrals: nil) else {
                return Report.line(["event": "queue full", "waiting": waiting.count])
            }
            waiting.removeFirst()
        }
    }

    func peripheralManagerIsReady(toUpdateSubscribers peripheral: CBPeripheralManager) {
        Report.line(["event": "ready"])
        sendWaiting(peripheral)
    }

    // MARK: Subscriptions and channels

    func peripheralManager(
        _ peripheral: CBPeripheralManager, central: CBCentral, didSubscribeTo characteristic: CBCharacteristic
    ) {
        Report.line([
            "event": "subscribed", "uuid": characteristic.uuid.uuidString, "length": central.maximumUpdateValueLength,
        ])
    }

    func peripheralManager(
        _ peripheral: CBPeripheralManager, central: CBCentral, didUnsubscribeFrom characteristic: CBCharacteristic
    ) {
        Report.line(["event": "unsubscribed", "uuid": characteristic.uuid.uuidString])
        waiting.removeAll { $0.characteristic === characteristic }
    }

    func peripheralManager(_ peripheral: CBPeripheralManager, didOpen channel: CBL2CAPChannel?, error: (any Error)?) {
        Report.line(["event": "channel", "psm": Int(channel?.psm ?? 0), "error": error.map { "\($0)" } ?? ""])
        guard let channel else { return }
        channels.append(ChannelEcho(channel))
    }
}
