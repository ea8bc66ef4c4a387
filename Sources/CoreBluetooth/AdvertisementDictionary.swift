// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Foundation
import HCI

/// The advertisement data of one device as delegates get it. It is changed in place from one advertisement to the next:
/// in a busy room, building a new dictionary for each would cost more than everything before it.
struct AdvertisementDictionary {
    private(set) var values: [String: Any] = [:]
    private(set) var localName: String?
    /// The same, where the last advertisement had it.
    var presentName: String? { present.contains(.localName) ? localName : nil }
    private var nameOctets: ArraySlice<UInt8> = []
    private var present = Fields()
    private var isConnectable: Bool?
    private var facts: AdvertisingFacts?
    /// Where those are that change most: finding them by their keys would cost more than changing them.
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

    /// True when the name is a new one.
    mutating func update(
        _ octets: ArraySlice<UInt8>, isConnectable: Bool, facts: AdvertisingFacts, timestamp: CFAbsoluteTime
    ) -> Bool {
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
        for structure in AdvertisingData(octets) {
            switch structure.type {
            case .manufacturerData:
                // The data of the advertisement goes before that of the scan response, and everything before an iBeacon, which
                // Apple's Core Bluetooth does not show at all.
                guard !found.contains(.manufacturerData) || hasBeacon else { continue }
                hasBeacon = structure.value.starts(with: [0x4C, 0x00, 0x02, 0x15])
                setManufacturerData(Data(structure.value), &found)
            case .completeLocalName:
                setName(structure.value, &found)
            case .shortenedLocalName where !found.contains(.localName):
                setName(structure.value, &found)
            case .txPowerLevel:
                guard let level = structure.value.first else { continue }
                set(
                    .txPowerLevel, CBAdvertisementDataTxPowerLevelKey, NSNumber(value: Int8(bitPattern: level)), &found)
            case let type:
                if let width = type.serviceUUIDWidth {
                    serviceUUIDs += structure.uuids(width: width)
                } else if let width = type.solicitedUUIDWidth {
                    solicited += structure.uuids(width: width)
                } else if let width = type.serviceDataUUIDWidth,
                    let uuid = BluetoothUUID(littleEndian: structure.value.prefix(width))
                {
                    serviceData[CBUUID(uuid)] = Data(structure.value.dropFirst(width))
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
        return localName != oldName
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
        // A new key may move the others.
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

    private mutating func setName(_ octets: ArraySlice<UInt8>, _ found: inout Fields) {
        if present.contains(.localName), nameOctets == octets {
            found.insert(.localName)
            return
        }
        nameOctets = Array(octets)[...]
        let name = String(decoding: octets, as: UTF8.self)
        localName = name
        set(.localName, CBAdvertisementDataLocalNameKey, name, &found)
    }
}

/// The signal strengths that delegates get, made once.
enum SignalStrength {
    private static let numbers = (-128...127).map { NSNumber(value: Int8($0)) }

    static func number(_ rssi: Int8) -> NSNumber { numbers[Int(rssi) + 128] }
}
