// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Foundation
import HCI

/// The advertisement data of one device, in the form for delegates. The dictionary is changed in place with each
/// advertisement: in a busy room, a new dictionary for each advertisement would cost more than all steps before it.
struct AdvertisementDictionary {
    private(set) var values: [String: Any] = [:]
    private(set) var localName: String?
    /// The local name if the last advertisement had the name.
    var presentName: String? { present.contains(.localName) ? localName : nil }
    private var nameOctets: [UInt8] = []
    private var present = Fields()
    private var isConnectable: Bool?
    private var facts: AdvertisingFacts?
    /// The places of the values that change most: a search by key would cost more than the change.
    private var places = Places()

    private struct Places {
        var manufacturerData: Dictionary<String, Any>.Index?
        var timestamp: Dictionary<String, Any>.Index?
    }

    private struct Fields: OptionSet {
        let rawValue: UInt8
        static let localName = Fields(rawValue: 1 << 0)
        static let manufacturerData = Fields(rawValue: 1 << 1)
        static let serviceData = Fields(rawValue: 1 << 2)
        static let serviceUUIDs = Fields(rawValue: 1 << 3)
        static let txPowerLevel = Fields(rawValue: 1 << 4)
        static let solicitedServiceUUIDs = Fields(rawValue: 1 << 5)
    }

    private static let keys: [(Fields, String)] = [
        (.localName, CBAdvertisementDataLocalNameKey),
        (.manufacturerData, CBAdvertisementDataManufacturerDataKey),
        (.serviceData, CBAdvertisementDataServiceDataKey),
        (.serviceUUIDs, CBAdvertisementDataServiceUUIDsKey),
        (.txPowerLevel, CBAdvertisementDataTxPowerLevelKey),
        (.solicitedServiceUUIDs, CBAdvertisementDataSolicitedServiceUUIDsKey),
    ]

    private static let yes = NSNumber(value: true)
    private static let no = NSNumber(value: false)

    /// The values for delegates, and the name if it is new.
    mutating func update(
        _ octets: RawSpan, responseAt: Int = .max, isConnectable: Bool, facts: AdvertisingFacts,
        timestamp: CFAbsoluteTime
    ) -> (values: [String: Any], newName: String?) {
        let oldName = localName
        if self.isConnectable != isConnectable {
            values[CBAdvertisementDataIsConnectable] = isConnectable ? Self.yes : Self.no
            self.isConnectable = isConnectable
            places = Places()
        }
        if self.facts != facts { set(facts) }
        var serviceUUIDs: [BluetoothUUID] = []
        var solicited: [BluetoothUUID] = []
        var serviceData: [CBUUID: Data] = [:]
        var found = Fields()
        var hasBeacon = false
        var offset = 0
        while let (type, range) = AdvertisingData.next(in: octets, responseAt: responseAt, &offset) {
            let value = octets.extracting(range)
            switch type {
            case .manufacturerData:
                // The data of the advertisement goes before that of the scan response, and everything before an iBeacon, which
                // Apple's Core Bluetooth does not show at all.
                guard !found.contains(.manufacturerData) || hasBeacon else { continue }
                hasBeacon = value.byteCount >= 4 && value.u16(at: 0) == 0x004C && value.u16(at: 2) == 0x1502
                setManufacturerData(value.withUnsafeBytes { Data($0) }, &found)
            case .completeLocalName:
                setName(value, &found)
            case .shortenedLocalName where !found.contains(.localName):
                setName(value, &found)
            case .txPowerLevel:
                guard value.byteCount > 0 else { continue }
                let level = NSNumber(value: Int8(bitPattern: value.u8(at: 0)))
                set(.txPowerLevel, CBAdvertisementDataTxPowerLevelKey, level, &found)
            default:
                if let width = type.serviceUUIDWidth {
                    Self.forEachUUID(value, width) { serviceUUIDs.append($0) }
                } else if let width = type.solicitedUUIDWidth {
                    Self.forEachUUID(value, width) { solicited.append($0) }
                } else if let width = type.serviceDataUUIDWidth, value.byteCount >= width,
                    let uuid = BluetoothUUID(littleEndian: value.extracting(0..<width))
                {
                    let data = value.extracting(width..<value.byteCount)
                    serviceData[CBUUID(uuid)] = data.withUnsafeBytes { Data($0) }
                }
            }
        }
        if !serviceUUIDs.isEmpty {
            set(.serviceUUIDs, CBAdvertisementDataServiceUUIDsKey, serviceUUIDs.map { CBUUID($0) }, &found)
        }
        if !solicited.isEmpty {
            let uuids = solicited.map { CBUUID($0) }
            set(.solicitedServiceUUIDs, CBAdvertisementDataSolicitedServiceUUIDsKey, uuids, &found)
        }
        if !serviceData.isEmpty { set(.serviceData, CBAdvertisementDataServiceDataKey, serviceData, &found) }
        if found != present {
            for (field, key) in Self.keys where present.subtracting(found).contains(field) {
                values.removeValue(forKey: key)
            }
            present = found
            places = Places()
        }
        set(timestamp)
        return (values, localName == oldName ? nil : localName)
    }

    /// A cut UUID at the end is left out.
    private static func forEachUUID(_ list: RawSpan, _ width: Int, _ body: (BluetoothUUID) -> Void) {
        var offset = 0
        while list.byteCount - offset >= width {
            if let uuid = BluetoothUUID(littleEndian: list.extracting(offset..<(offset + width))) { body(uuid) }
            offset += width
        }
    }

    private mutating func setManufacturerData(_ data: Data, _ found: inout Fields) {
        found.insert(.manufacturerData)
        if let index = places.manufacturerData {
            values.values[index] = data
        } else {
            if !present.contains(.manufacturerData) { places = Places() }
            values[CBAdvertisementDataManufacturerDataKey] = data
            if present.contains(.manufacturerData) {
                places.manufacturerData = values.index(forKey: CBAdvertisementDataManufacturerDataKey)
            }
        }
    }

    private mutating func set(_ field: Fields, _ key: String, _ value: Any, _ found: inout Fields) {
        // A new key may move the other keys.
        if !present.contains(field) { places = Places() }
        values[key] = value
        found.insert(field)
    }

    private mutating func set(_ timestamp: CFAbsoluteTime) {
        if let index = places.timestamp {
            values.values[index] = timestamp
        } else {
            values[CBAdvertisementDataTimestampKey] = timestamp
            places.timestamp = values.index(forKey: CBAdvertisementDataTimestampKey)
        }
    }

    private mutating func set(_ new: AdvertisingFacts) {
        facts = new
        places = Places()
        values[CBAdvertisementDataPrimaryPHYKey] = NSNumber(value: new.primaryPHY.rawValue)
        values[CBAdvertisementDataSecondaryPHYKey] = new.secondaryPHY.map { NSNumber(value: $0.rawValue) }
        values[CBAdvertisementDataSetIDKey] = new.setID.map { NSNumber(value: $0) }
        values[CBAdvertisementDataPeriodicIntervalKey] = new.periodicInterval.map {
            NSNumber(value: Double($0) * 0.00125)
        }
    }

    private func isName(_ octets: RawSpan) -> Bool {
        guard octets.byteCount == nameOctets.count else { return false }
        return octets.withUnsafeBytes { octets in
            nameOctets.withUnsafeBytes { name in
                guard let octets = octets.baseAddress, let start = name.baseAddress else { return true }
                return memcmp(octets, start, name.count) == 0
            }
        }
    }

    private mutating func setName(_ octets: RawSpan, _ found: inout Fields) {
        if present.contains(.localName), isName(octets) {
            found.insert(.localName)
            return
        }
        nameOctets = octets.array(0..<octets.byteCount)
        let name = String(decoding: nameOctets, as: UTF8.self)
        localName = name
        set(.localName, CBAdvertisementDataLocalNameKey, name, &found)
    }
}

/// The numbers of signal strengths for delegates, made once.
enum SignalStrength {
    private static let numbers = (-128...127).map { NSNumber(value: Int8($0)) }

    static func number(_ rssi: Int8) -> NSNumber { numbers[Int(rssi) + 128] }
}
