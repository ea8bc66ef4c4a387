// SPDX-License-Identifier: Apache-2.0

import CoreBluetooth
import Foundation

extension CentralScript {
    func runValues() {
        step("read short") {
            let values = [
                (ReferenceDatabase.constant, ReferenceDatabase.constantValue),
                (ReferenceDatabase.dynamic, ReferenceDatabase.dynamicValue),
            ]
            for (uuid, value) in values {
                let read = try read(characteristic(uuid))
                try expect(read == value, "\(uuid) is \(read.hexadecimal)")
            }
            let level = try read(characteristic(ReferenceDatabase.batteryLevel, of: ReferenceDatabase.battery))
            try expect(level.count == 1, "the battery level is \(level.hexadecimal)")
            return "three values"
        }
        step("read long") {
            let read = try read(characteristic(ReferenceDatabase.long))
            try expect(read == ReferenceDatabase.longValue, "\(read.count) octets: \(read.hexadecimal)")
            return "\(read.count) octets"
        }
        step("read descriptors", readDescriptors)
        step("write short") { try writeAndReadBack(Data("written".utf8)) }
        step("write long") { try writeAndReadBack(Data((0..<400).map { UInt8(truncatingIfNeeded: $0 * 11) })) }
        step("write longest") { try writeAndReadBack(Data((0..<512).map { UInt8(truncatingIfNeeded: $0 * 13) })) }
        step("write empty") { try writeAndReadBack(Data()) }
        step("write without response", writeWithoutResponse)
        step("descriptor write") {
            let descriptor = try descriptor("2901")
            try peripheral().writeValue(Data("changed".utf8), for: descriptor)
            try success(.descriptorWritten, about: descriptor)
            try peripheral().readValue(for: descriptor)
            try success(.descriptorValue, about: descriptor)
            try expect(descriptor.value as? String == "changed", "it reads \(String(describing: descriptor.value))")
            return "changed"
        }
    }

    private func readDescriptors() throws -> String {
        for type in ["2901", "2902", "2904"] {
            let descriptor = try descriptor(type)
            try peripheral().readValue(for: descriptor)
            try success(.descriptorValue, about: descriptor)
        }
        let (text, number, format) = (
            try descriptor("2901").value as? String, (try descriptor("2902").value as? NSNumber)?.intValue,
            try descriptor("2904").value as? Data
        )
        try expect(text == ReferenceDatabase.description, "2901 is \(String(describing: text))")
        try expect(number == 0, "2902 is \(String(describing: number))")
        try expect(format == ReferenceDatabase.format, "2904 is \(String(describing: format?.hexadecimal))")
        return "text, number and octets"
    }

    private func writeAndReadBack(_ value: Data) throws -> String {
        let characteristic = try characteristic(ReferenceDatabase.writable)
        try write(value, to: characteristic)
        let read = try read(characteristic)
        try expect(read == value, "\(value.count) octets were written, \(read.count) are read: \(read.hexadecimal)")
        return "\(value.count) octets"
    }

    /// Many values, at the pace of the peripheral; none may be lost.
    private func writeWithoutResponse() throws -> String {
        let (peripheral, characteristic) = (try peripheral(), try characteristic(ReferenceDatabase.counting))
        let count = 200
        let padding = Data(count: peripheral.maximumWriteValueLength(for: .withoutResponse) - 4)
        var waits = 0
        for index in 0..<count {
            while !peripheral.canSendWriteWithoutResponse {
                waits += 1
                _ = try answer(.ready)
            }
            peripheral.writeValue(
                ReferenceDatabase.value(index) + padding, for: characteristic, type: .withoutResponse)
        }
        let read = try read(characteristic)
        let (came, misplaced) = (ReferenceDatabase.number(read), ReferenceDatabase.number(read, at: 4))
        try expect(came == UInt32(count) && misplaced == 0, "\(read.hexadecimal) of \(count) commands")
        return "\(count) commands of \(padding.count + 4) octets, \(waits) waits"
    }

    // MARK: Subscriptions

    func subscribe(_ uuid: CBUUID, by command: ReferenceDatabase.Command, count: Int) throws -> String {
        let characteristic = try characteristic(uuid)
        try peripheral().setNotifyValue(true, for: characteristic)
        try success(.notifying, about: characteristic)
        try expect(characteristic.isNotifying, "\(uuid) does not notify")
        try self.command(command, UInt8(count))
        for index in 0..<count {
            let value = try success(.value, about: characteristic).value
            try expect(value == ReferenceDatabase.value(index), "value \(index) is \(value.hexadecimal)")
        }
        return "\(count) values in order"
    }

    func subscribeToNotifications() throws -> String {
        try subscribe(ReferenceDatabase.notifying, by: .notify, count: 50)
    }

    func subscribeToIndications() throws -> String {
        try subscribe(ReferenceDatabase.indicating, by: .indicate, count: 10)
    }

    func unsubscribe() throws -> String {
        let characteristic = try characteristic(ReferenceDatabase.notifying)
        try peripheral().setNotifyValue(false, for: characteristic)
        try success(.notifying, about: characteristic)
        try expect(!characteristic.isNotifying, "it notifies still")
        try command(.notify, 3)
        // In the other direction the link has one channel, so the server's earlier values have arrived before this answer.
        _ = try read(try self.characteristic(ReferenceDatabase.dynamic))
        try expect(inbox.take(.value, about: characteristic, within: 0) == nil, "a value came after unsubscribing")
        return "no value comes"
    }

    // MARK: Encryption

    /// From now on a refusal starts a pairing, and then the request again.
    func pairOnDemand() throws -> String {
        controller.pairingPolicy.pairsOnDemand = true
        let read = try read(characteristic(ReferenceDatabase.encrypted))
        try expect(read == ReferenceDatabase.encryptedValue, "it is \(read.hexadecimal)")
        let bonds = controller.bonds
        try expect(bonds.count == 1, "there are \(bonds.count) bonds")
        return "\(bonds.map { "\($0.address), \($0.keySize) octets" })"
    }

    // MARK: Refusals

    func runRefusals() {
        step("read not permitted") { try refusedRead(ReferenceDatabase.writeOnly, [.readNotPermitted]) }
        step("write not permitted") { try refusedWrite(ReferenceDatabase.constant, [.writeNotPermitted]) }
        step("encryption required") {
            try refusedRead(ReferenceDatabase.encrypted, [.insufficientAuthentication, .insufficientEncryption])
        }
        step("application error of a read") { try refusedRead(ReferenceDatabase.refusing, [.readRefused]) }
        step("application error of a write") { try refusedWrite(ReferenceDatabase.refusing, [.writeRefused]) }
        step("too long a write") {
            try refusedWrite(ReferenceDatabase.writable, [.invalidAttributeValueLength], Data(count: 513))
        }
        step("subscribing where nothing notifies") {
            let characteristic = try characteristic(ReferenceDatabase.constant)
            try peripheral().setNotifyValue(true, for: characteristic)
            return try refusal(.notifying, about: characteristic, codes: [.requestNotSupported])
        }
    }

    private func refusedRead(_ uuid: CBUUID, _ codes: [CBATTError.Code]) throws -> String {
        let characteristic = try characteristic(uuid)
        try peripheral().readValue(for: characteristic)
        return try refusal(.value, about: characteristic, codes: codes)
    }

    private func refusedWrite(
        _ uuid: CBUUID, _ codes: [CBATTError.Code], _ value: Data = Data("refused".utf8)
    ) throws -> String {
        let characteristic = try characteristic(uuid)
        try peripheral().writeValue(value, for: characteristic, type: .withResponse)
        return try refusal(.written, about: characteristic, codes: codes)
    }
}
