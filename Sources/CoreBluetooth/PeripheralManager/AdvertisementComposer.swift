// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import BluetoothHost
import Foundation
import HCI

/// Lays out what ``CBPeripheralManager/startAdvertising(_:)`` is given: flags and as much as fits into the
/// advertisement, the rest into the scan response.
struct AdvertisementComposer {
    /// Octets of legacy advertising data. Core 5.4, Vol 6, Part B, 2.3.1.1.
    static let capacity = 31
    /// Octets of a name in the scan response, its header apart, as Apple has it.
    static let nameLimit = 10
    /// LE General Discoverable Mode, BR/EDR Not Supported. Core Supplement, Part A, 1.3.
    private static let flags: [UInt8] = [2, AdvertisingDataType.flags.rawValue, 0x06]

    private(set) var advertisement = Self.flags
    private(set) var scanResponse: [UInt8] = []
    private var timing = AdvertisingTiming.standard

    /// Services for which there is no room.
    private(set) var leftOut: [BluetoothUUID] = []
    /// There is no room for any of the name.
    private(set) var leavesNameOut = false

    /// The keys of an advertisement.
    static let keys: Set<String> = [
        CBAdvertisementDataLocalNameKey, CBAdvertisementDataServiceUUIDsKey, CBAdvertisementDataManufacturerDataKey,
        CBAdvertisementDataServiceDataKey, CBPeripheralManagerAdvertisingIntervalKey,
    ]

    init(_ values: [String: Any]) throws {
        if let unknown = values.keys.filter({ !Self.keys.contains($0) }).min() {
            throw CBError(
                .invalidParameters,
                detail: "\(unknown) cannot be advertised; \(Self.keys.sorted().joined(separator: ", ")) can")
        }
        let uuids: [CBUUID] = try Self.value(values, CBAdvertisementDataServiceUUIDsKey) ?? []
        let name: String? = try Self.value(values, CBAdvertisementDataLocalNameKey)
        let manufacturerData: Data? = try Self.value(values, CBAdvertisementDataManufacturerDataKey)
        let serviceData: [CBUUID: Data] = try Self.value(values, CBAdvertisementDataServiceDataKey) ?? [:]
        if let seconds: NSNumber = try Self.value(values, CBPeripheralManagerAdvertisingIntervalKey) {
            timing = try Self.timing(seconds.doubleValue)
        }
        var left = uuids.map(\.value)
        Self.add(&left, to: &advertisement, isFirst: true)
        for (uuid, data) in serviceData.sorted(by: { $0.key.uuidString < $1.key.uuidString }) {
            try add(uuid.value.serviceDataType, uuid.value.attributeOctets + data)
        }
        if let manufacturerData { try add(.manufacturerData, Array(manufacturerData)) }
        if let name { add(name: Array(name.utf8)) }
        Self.add(&left, to: &scanResponse, isFirst: false)
        leftOut = left
    }

    var demand: AdvertisingDemand {
        AdvertisingDemand(data: advertisement, scanResponse: scanResponse, timing: timing)
    }

    /// Units of 0.625 ms. Core 5.4, Vol 4, Part E, 7.8.5.
    private static func timing(_ seconds: Double) throws -> AdvertisingTiming {
        guard seconds.isFinite, let units = UInt16(exactly: (seconds * 1_600).rounded()),
            let intervals = AdvertisingIntervals(minimum: units, maximum: units)
        else { throw CBError(.invalidParameters, detail: "advertising intervals are 0.02…10.24 s") }
        return AdvertisingTiming(fast: intervals, fastPeriod: .zero, slow: intervals)
    }

    /// Nil if the key is missing; throws if its value has another type.
    private static func value<Value>(_ values: [String: Any], _ key: String) throws -> Value? {
        guard let any = values[key] else { return nil }
        guard let value = any as? Value else {
            throw CBError(.invalidParameters, detail: "\(key) has to be of type \(Value.self)")
        }
        return value
    }

    /// Lists as many UUIDs as there is room for, and takes them out of `uuids`; the shortest ones first, as most fit.
    private static func add(_ uuids: inout [BluetoothUUID], to octets: inout [UInt8], isFirst: Bool) {
        for width in [2, 4, 16] {
            let wanted = uuids.filter { $0.advertisedOctets.count == width }
            let room = (capacity - octets.count - 2) / width
            let listed = wanted.prefix(max(0, room))
            guard !listed.isEmpty else { continue }
            octets.append(UInt8(1 + listed.count * width))
            octets.append(
                AdvertisingDataType.serviceUUIDs(width: width, isComplete: isFirst && listed.count == wanted.count)
                    .rawValue)
            for uuid in listed { octets.append(contentsOf: uuid.advertisedOctets) }
            uuids.removeAll { listed.contains($0) }
        }
    }

    private mutating func add(_ type: AdvertisingDataType, _ value: [UInt8]) throws {
        let structure = [UInt8(clamping: value.count + 1), type.rawValue] + value
        if advertisement.count + structure.count <= Self.capacity {
            advertisement += structure
        } else if scanResponse.count + structure.count <= Self.capacity {
            scanResponse += structure
        } else {
            throw CBError(.outOfSpace, detail: "the advertisement has 28 octets, its scan response 31")
        }
    }

    private mutating func add(name: [UInt8]) {
        if advertisement.count + 2 + name.count <= Self.capacity {
            advertisement += [UInt8(name.count + 1), AdvertisingDataType.completeLocalName.rawValue] + name
            return
        }
        var short = name.prefix(max(0, min(Self.nameLimit, Self.capacity - scanResponse.count - 2)))
        // Not in the middle of a character: what follows the cut must not be a continuing octet of UTF-8.
        while short.count < name.count, !short.isEmpty, name[short.count] & 0xC0 == 0x80 { short.removeLast() }
        guard !short.isEmpty else {
            leavesNameOut = !name.isEmpty
            return
        }
        let type: AdvertisingDataType = short.count == name.count ? .completeLocalName : .shortenedLocalName
        scanResponse += [UInt8(short.count + 1), type.rawValue] + short
    }
}

extension BluetoothUUID {
    /// 2, 4 or 16 octets, least significant first.
    fileprivate var advertisedOctets: [UInt8] {
        guard short == nil, let short32 else { return attributeOctets }
        return (0..<4).map { UInt8(truncatingIfNeeded: short32 >> (8 * $0)) }
    }

    fileprivate var serviceDataType: AdvertisingDataType { short == nil ? .serviceData128 : .serviceData16 }
}

extension AdvertisingDataType {
    fileprivate static func serviceUUIDs(width: Int, isComplete: Bool) -> Self {
        switch width {
        case 2: isComplete ? .completeUUIDs16 : .incompleteUUIDs16
        case 4: isComplete ? .completeUUIDs32 : .incompleteUUIDs32
        default: isComplete ? .completeUUIDs128 : .incompleteUUIDs128
        }
    }
}
