// SPDX-License-Identifier: Apache-2.0

import BluetoothHost
import Foundation

/// The preserved state of a peripheral manager.
struct PeripheralSnapshot: Codable, Equatable, Sendable {
    struct Service: Codable, Equatable, Sendable {
        var uuid: String
        var isPrimary: Bool
        /// The first handle: known handles stay valid for clients.
        var start: UInt16
        /// First handles of included services.
        var included: [UInt16]
        var characteristics: [Characteristic]
    }

    struct Characteristic: Codable, Equatable, Sendable {
        var uuid: String
        var properties: UInt
        var permissions: UInt
        var value: Data?
        var valueHandle: UInt16
        var descriptors: [Descriptor]
        /// The subscribed centrals.
        var subscribers: [UUID]
    }

    struct Descriptor: Codable, Equatable, Sendable {
        var uuid: String
        var value: Value
    }

    enum Value: Codable, Equatable, Sendable {
        case number(UInt16)
        case text(String)
        case octets(Data)
    }

    /// The dictionary given to `startAdvertising`.
    struct Advertisement: Codable, Equatable, Sendable {
        var localName: String?
        var serviceUUIDs: [String]?
        var manufacturerData: Data?
        var serviceData: [String: Data]?
        /// Seconds.
        var interval: Double?
    }

    var version = 1
    var services: [Service] = []
    /// Nil without an advertisement: a stopped advertisement does not come back.
    var advertisement: Advertisement?

    var isEmpty: Bool { services.isEmpty && advertisement == nil }
}

extension PeripheralSnapshot.Advertisement {
    init(_ values: [String: Any]) {
        localName = values[CBAdvertisementDataLocalNameKey] as? String
        serviceUUIDs = (values[CBAdvertisementDataServiceUUIDsKey] as? [CBUUID])?.map(\.uuidString)
        manufacturerData = values[CBAdvertisementDataManufacturerDataKey] as? Data
        interval = (values[CBPeripheralManagerAdvertisingIntervalKey] as? NSNumber)?.doubleValue
        serviceData = (values[CBAdvertisementDataServiceDataKey] as? [CBUUID: Data]).map { data in
            Dictionary(data.map { ($0.key.uuidString, $0.value) }) { first, _ in first }
        }
    }

    var values: [String: Any] {
        var values: [String: Any] = [:]
        values[CBAdvertisementDataLocalNameKey] = localName
        values[CBAdvertisementDataServiceUUIDsKey] = serviceUUIDs?.compactMap { CBUUID(validating: $0) }
        values[CBAdvertisementDataManufacturerDataKey] = manufacturerData
        values[CBPeripheralManagerAdvertisingIntervalKey] = interval.map { NSNumber(value: $0) }
        values[CBAdvertisementDataServiceDataKey] = serviceData.map { data in
            Dictionary(data.compactMap { text, octets in CBUUID(validating: text).map { ($0, octets) } }) { first, _ in
                first
            }
        }
        return values
    }
}
