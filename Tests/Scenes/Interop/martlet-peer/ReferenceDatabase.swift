// SPDX-License-Identifier: Apache-2.0

import CoreBluetooth
import Foundation

/// The database of each server in the interoperability tests: this program, Bumble (`Tests/Rig/gatt_server.py`) and BlueZ
/// (`Tests/Rig/bluez_server.py`). `Tests/Rig/reference.py` is its other copy.
enum ReferenceDatabase {
    static func uuid(_ number: UInt16) -> CBUUID {
        CBUUID(string: String(format: "0000%04X-4D61-7274-6C65-745065657200", number))
    }

    /// Includes `included` and `battery`.
    static let main = uuid(0x0001)
    static let included = uuid(0x0100)
    /// Comes and goes by a command.
    static let changing = uuid(0x0200)
    static let battery = CBUUID(string: "180F")
    static let batteryLevel = CBUUID(string: "2A19")

    static let constant = uuid(0x0010)
    static let dynamic = uuid(0x0011)
    static let long = uuid(0x0012)
    /// Keeps a written value, in one request or in several.
    static let writable = uuid(0x0013)
    /// Counts write commands; reads as two 32-bit numbers: how many came, and how many of them not in their order.
    static let counting = uuid(0x0014)
    static let notifying = uuid(0x0015)
    static let indicating = uuid(0x0016)
    /// Takes a ``Command``.
    static let control = uuid(0x0017)
    /// Notifies and indicates; has the descriptors.
    static let described = uuid(0x0018)
    static let writeOnly = uuid(0x001A)
    static let encrypted = uuid(0x001B)
    /// Refuses reads with 0x80 and writes with 0x81.
    static let refusing = uuid(0x001C)
    /// Written together, by a reliable write, or not at all: the second takes at most four octets.
    static let pair = [uuid(0x001D), uuid(0x001E)]
    static let psm = CBUUID(string: CBUUIDL2CAPPSMCharacteristicString)
    static let includedValue = uuid(0x0101)

    static let constantValue = Data("constant value".utf8)
    static let dynamicValue = Data("dynamic value".utf8)
    /// Of ``encrypted``.
    static let encryptedValue = Data("for bonded peers".utf8)
    static let longValue = Data((0..<400).map { UInt8(truncatingIfNeeded: $0 * 7) })
    static let description = "both kinds"
    /// 32-bit unsigned, exponent 0, unitless, Bluetooth SIG, no description. Vol 3, Part G, 3.3.3.5.
    static let format = Data([0x08, 0x00, 0x00, 0x27, 0x01, 0x00, 0x00])

    /// The first octet of a value written to ``control``; a following number is the count of values to send.
    enum Command: UInt8 {
        case notify = 1
        case indicate = 2
        /// Adds ``changing``, or removes it.
        case changeServices = 3
        case disconnect = 4
        /// Notifications of the greatest size, as fast as they go.
        case flood = 5
        /// Lets every peer pair from now on.
        case openWindow = 6
    }

    /// Value `index` of the values that a command requested.
    static func value(_ index: Int) -> Data { littleEndian(UInt32(truncatingIfNeeded: index)) }

    static func littleEndian(_ number: UInt32) -> Data {
        Data((0..<4).map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) })
    }

    static func number(_ data: Data, at offset: Int = 0) -> UInt32? {
        guard data.count >= offset + 4 else { return nil }
        return data.dropFirst(offset).prefix(4).reversed().reduce(0) { $0 << 8 | UInt32($1) }
    }
}

extension CBATTError.Code {
    /// The refusing characteristic's answers to reads, and to writes: application errors.
    static let readRefused = CBATTError.Code(rawValue: 0x80) ?? .unlikelyError
    static let writeRefused = CBATTError.Code(rawValue: 0x81) ?? .unlikelyError
}
