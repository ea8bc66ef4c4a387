// SPDX-License-Identifier: Apache-2.0

import CoreBluetooth
import Foundation

extension CentralScript {
    func powerOn() throws -> String {
        var state = CBManagerState.unknown
        while state != .poweredOn {
            state = CBManagerState(rawValue: try answer(.state).number) ?? .unknown
            try expect(state != .unsupported && state != .unauthorized, "\(state)")
        }
        return "powered on"
    }

    func scan() throws -> String {
        central.scanForPeripherals(withServices: [ReferenceDatabase.main])
        let call = try answer(.discovered)
        central.stopScan()
        return "\(try peripheral().address), \(call.number) dBm"
    }

    func connect() throws -> String {
        central.connect(try peripheral())
        try success(.connected)
        let state = try peripheral().state
        try expect(state == .connected, "connected, and in the state \(state)")
        return "\(try peripheral())"
    }

    func discoverServices() throws -> String {
        let peripheral = try peripheral()
        peripheral.discoverServices([ReferenceDatabase.main])
        try success(.services)
        try expect(
            peripheral.services?.map(\.uuid) == [ReferenceDatabase.main],
            "asked for one service: \(String(describing: peripheral.services?.map(\.uuid)))")
        peripheral.discoverServices(nil)
        try success(.services)
        for uuid in [ReferenceDatabase.main, ReferenceDatabase.included, ReferenceDatabase.battery] {
            try expect(try service(uuid).isPrimary, "\(uuid) is not primary")
        }
        return "\(peripheral.services?.map(\.uuid.uuidString) ?? [])"
    }

    func discoverIncludedServices() throws -> String {
        let service = try service(ReferenceDatabase.main)
        try peripheral().discoverIncludedServices(nil, for: service)
        try success(.included, about: service)
        let found = Set(service.includedServices?.map(\.uuid) ?? [])
        try expect(found == [ReferenceDatabase.included, ReferenceDatabase.battery], "included are \(found)")
        try peripheral().discoverIncludedServices([ReferenceDatabase.battery], for: service)
        try success(.included, about: service)
        return "\(found.map(\.uuidString).sorted())"
    }

    func discoverCharacteristics() throws -> String {
        let service = try service(ReferenceDatabase.main)
        try peripheral().discoverCharacteristics([ReferenceDatabase.long], for: service)
        try success(.characteristics, about: service)
        try expect(
            service.characteristics?.map(\.uuid) == [ReferenceDatabase.long],
            "asked for one characteristic: \(String(describing: service.characteristics?.map(\.uuid)))")
        try discoverAllCharacteristics()
        let wanted: [(CBUUID, CBCharacteristicProperties)] = [
            (ReferenceDatabase.constant, .read), (ReferenceDatabase.writable, [.read, .write]),
            (ReferenceDatabase.counting, [.read, .writeWithoutResponse]), (ReferenceDatabase.notifying, .notify),
            (ReferenceDatabase.indicating, .indicate), (ReferenceDatabase.control, .write),
            (ReferenceDatabase.described, [.notify, .indicate]), (ReferenceDatabase.writeOnly, .write),
        ]
        for (uuid, properties) in wanted {
            let found = try characteristic(uuid).properties
            try expect(found.isSuperset(of: properties), "\(uuid) has the properties \(found)")
        }
        return "\(service.characteristics?.count ?? 0) characteristics"
    }

    /// For the services of later steps.
    func discoverAllCharacteristics() throws {
        for uuid in [ReferenceDatabase.main, ReferenceDatabase.included, ReferenceDatabase.battery] {
            let service = try service(uuid)
            try peripheral().discoverCharacteristics(nil, for: service)
            try success(.characteristics, about: service)
        }
    }

    func discoverDescriptors() throws -> String {
        let characteristic = try characteristic(ReferenceDatabase.described)
        try peripheral().discoverDescriptors(for: characteristic)
        try success(.descriptors, about: characteristic)
        for type in ["2901", "2902", "2904"] { _ = try descriptor(type) }
        return "\(characteristic.descriptors?.map(\.uuid.uuidString) ?? [])"
    }

    func readRSSI() throws -> String {
        try peripheral().readRSSI()
        return "\(try success(.rssi).number) dBm"
    }

    func checkMTU() throws -> String {
        let (short, long) = (
            try peripheral().maximumWriteValueLength(for: .withoutResponse),
            try peripheral().maximumWriteValueLength(for: .withResponse)
        )
        try expect(short > 20, "the MTU was not exchanged")
        try expect(long == 512, "\(long) octets with response")
        return "\(short + 3)"
    }

    // MARK: Changes, and the end

    func changeServices() throws -> String {
        try command(.changeServices)
        let call = try success(.modified)
        try peripheral().discoverServices(nil)
        try success(.services)
        _ = try service(ReferenceDatabase.changing)
        try discoverAllCharacteristics()
        return "\(call.number) services invalidated; the new one is found"
    }

    func removeServices() throws -> String {
        try command(.changeServices)
        let call = try success(.modified)
        try expect(call.number > 0, "no service was invalidated")
        let peripheral = try peripheral()
        peripheral.discoverServices(nil)
        try success(.services)
        let isThere = peripheral.services?.contains { $0.uuid == ReferenceDatabase.changing }
        try expect(isThere == false, "the removed service is found")
        try discoverAllCharacteristics()
        return "\(call.number) services invalidated"
    }

    func reconnect() throws -> String {
        let peripheral = try peripheral()
        // The link may go before the response does.
        peripheral.writeValue(
            Data([ReferenceDatabase.Command.disconnect.rawValue]), for: try characteristic(ReferenceDatabase.control),
            type: .withResponse)
        let failure = try answer(.disconnected).failure
        try expect(
            failure?.domain == CBErrorDomain && failure?.code == CBError.Code.peripheralDisconnected.rawValue,
            "dropped with \(String(describing: failure))")
        try expect(peripheral.state == .disconnected, "dropped, and in the state \(peripheral.state)")
        _ = try connect()
        peripheral.discoverServices([ReferenceDatabase.main])
        try success(.services)
        let service = try service(ReferenceDatabase.main)
        peripheral.discoverCharacteristics(nil, for: service)
        try success(.characteristics, about: service)
        let encrypted = try read(characteristic(ReferenceDatabase.encrypted))
        try expect(encrypted == ReferenceDatabase.encryptedValue, "a bonded peer reads \(encrypted.hexadecimal)")
        return "subscribed again: \(try subscribe(ReferenceDatabase.notifying, by: .notify, count: 5))"
    }

    func cancel() throws -> String {
        central.cancelPeripheralConnection(try peripheral())
        let failure = try answer(.disconnected).failure
        try expect(failure == nil, "an error at our own disconnection: \(String(describing: failure))")
        return "disconnected"
    }
}
