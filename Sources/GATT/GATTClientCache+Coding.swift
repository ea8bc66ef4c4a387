// SPDX-License-Identifier: Apache-2.0

import ATT
import BluetoothCore

/// The stored form of a cache: a text without repetition, checked as a whole at reading.
extension GATTClientCache: Codable {
    private struct Record: Codable {
        var version = 1
        var hash: String?
        var name: String?
        var allServices: Bool
        var services: [Service]
        var sought: [String]
        var included: [Group<Service>]
        var characteristics: [Group<Characteristic>]
        var descriptors: [Group<Descriptor>]
        var configurations: [Configuration]
        /// Absent: not looked for. Empty: the server has no Service Changed.
        var serviceChanged: [Characteristic]?
        var serviceChangedConfiguration: UInt16?
        var isWatched: Bool
    }

    private struct Group<Item: Codable>: Codable {
        let start: UInt16
        let end: UInt16
        let items: [Item]

        init(_ range: ATTPDU.HandleRange, _ items: [Item]) {
            (start, end, self.items) = (range.start, range.end, items)
        }

        var range: ATTPDU.HandleRange { ATTPDU.HandleRange(start: start, end: end) }
    }

    private struct Service: Codable {
        let uuid: String
        let start: UInt16
        let end: UInt16

        init(_ service: RemoteService) {
            (uuid, start, end) = (service.uuid.description, service.handles.start, service.handles.end)
        }

        func value() throws -> RemoteService {
            RemoteService(uuid: try .read(uuid), handles: ATTPDU.HandleRange(start: start, end: end))
        }
    }

    private struct Characteristic: Codable {
        let uuid: String
        let properties: UInt8
        let value: UInt16
        let end: UInt16

        init(_ characteristic: RemoteCharacteristic) {
            (uuid, properties) = (characteristic.uuid.description, characteristic.properties)
            (value, end) = (characteristic.valueHandle, characteristic.endHandle)
        }

        func characteristic() throws -> RemoteCharacteristic {
            RemoteCharacteristic(uuid: try .read(uuid), properties: properties, valueHandle: value, endHandle: end)
        }
    }

    private struct Descriptor: Codable {
        let uuid: String
        let handle: UInt16

        func value() throws -> ATTPDU.AttributeInformation {
            ATTPDU.AttributeInformation(handle: handle, type: try .read(uuid))
        }
    }

    private struct Configuration: Codable {
        let value: UInt16
        let descriptor: UInt16
    }

    package func encode(to encoder: any Encoder) throws {
        var record = Record(
            hash: databaseHash?.hexadecimal, name: deviceName?.hexadecimal, allServices: hasAllServices,
            services: services.map(Service.init), sought: soughtServices.map(\.description).sorted(),
            included: Self.groups(includedServices, Service.init),
            characteristics: Self.groups(characteristics, Characteristic.init),
            descriptors: Self.groups(descriptors) { Descriptor(uuid: $0.type.description, handle: $0.handle) },
            configurations: configurations.sorted { $0.key < $1.key }.map {
                Configuration(value: $0.key, descriptor: $0.value)
            }, isWatched: isWatched)
        switch watch {
        case .absent: record.serviceChanged = []
        case .present(let characteristic, let configuration):
            record.serviceChanged = [Characteristic(characteristic)]
            record.serviceChangedConfiguration = configuration
        case nil: break
        }
        try record.encode(to: encoder)
    }

    package init(from decoder: any Decoder) throws {
        let record = try Record(from: decoder)
        guard record.version == 1 else { throw CacheRecordError.unknownVersion }
        self.init()
        databaseHash = try record.hash.map(Self.octets)
        deviceName = try record.name.map(Self.octets)
        hasAllServices = record.allServices
        services = try record.services.map { try $0.value() }
        soughtServices = Set(try record.sought.map { try .read($0) })
        includedServices = try Self.ranges(record.included) { try $0.value() }
        characteristics = try Self.ranges(record.characteristics) { try $0.characteristic() }
        descriptors = try Self.ranges(record.descriptors) { try $0.value() }
        configurations = Dictionary(record.configurations.map { ($0.value, $0.descriptor) }) { _, last in last }
        if let found = try record.serviceChanged?.first?.characteristic() {
            guard let configuration = record.serviceChangedConfiguration else { throw CacheRecordError.unsound }
            watch = .present(found, configuration: configuration)
        } else if record.serviceChanged != nil {
            watch = .absent
        }
        isWatched = record.isWatched
        guard isSound else { throw CacheRecordError.unsound }
    }

    private static func groups<Item, Coded>(
        _ entries: [ATTPDU.HandleRange: [Item]], _ code: (Item) -> Coded
    ) -> [Group<Coded>] {
        entries.sorted { ($0.key.start, $0.key.end) < ($1.key.start, $1.key.end) }.map {
            Group($0.key, $0.value.map(code))
        }
    }

    private static func ranges<Item, Coded>(
        _ groups: [Group<Coded>], _ decode: (Coded) throws -> Item
    ) throws -> [ATTPDU.HandleRange: [Item]] {
        Dictionary(try groups.map { ($0.range, try $0.items.map(decode)) }) { _, last in last }
    }

    private static func octets(_ text: String) throws -> [UInt8] {
        guard let octets = [UInt8](hexadecimal: text) else { throw CacheRecordError.unsound }
        return octets
    }
}

/// Why a record is of no use.
enum CacheRecordError: Error {
    case unknownVersion
    /// Handles out of order, or an invalid UUID.
    case unsound
}

extension BluetoothUUID {
    fileprivate static func read(_ text: String) throws -> BluetoothUUID {
        guard let uuid = BluetoothUUID(text) else { throw CacheRecordError.unsound }
        return uuid
    }
}
