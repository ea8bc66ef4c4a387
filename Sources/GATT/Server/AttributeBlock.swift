// SPDX-License-Identifier: Apache-2.0

import ATT
import BluetoothCore

/// Lays a service out as consecutive attributes. Core 5.4, Vol 3, Part G, 3.
struct AttributeBlock {
    private var attributes: [Attribute] = []
    private let start: UInt16
    private let owner: ServerOwner
    private let generation: UInt64

    init(start: UInt16, owner: ServerOwner, generation: UInt64) {
        self.start = start
        self.owner = owner
        self.generation = generation
    }

    /// The caller has made sure that all handles fit into 16 bits.
    private var next: UInt16 { start &+ UInt16(truncatingIfNeeded: attributes.count) }

    mutating func declare(_ service: LocalService) {
        append(
            service.isPrimary ? TableType.primaryService : TableType.secondaryService,
            .service(isPrimary: service.isPrimary), .fixed(service.uuid.attributeOctets))
    }

    /// Only a UUID of 16 bits is in the value. Core 5.4, Vol 3, Part G, 3.2.
    mutating func include(_ service: PublishedService) {
        var value: [UInt8] = []
        value.append(u16: service.handles.start)
        value.append(u16: service.handles.end)
        if service.uuid.short != nil { value += service.uuid.attributeOctets }
        append(TableType.include, .include, .fixed(value))
    }

    mutating func add(_ characteristic: LocalCharacteristic) -> PublishedService.Characteristic {
        let declaration = attributes.count
        let valueHandle = next &+ 1
        var value = [characteristic.properties.rawValue]
        value.append(u16: valueHandle)
        append(TableType.characteristic, .characteristic, .fixed(value + characteristic.uuid.attributeOctets))
        attributes.append(
            Attribute(
                handle: next, type: characteristic.uuid, kind: .value, owner: owner,
                content: Self.content(of: characteristic, owner: owner), generation: generation,
                read: characteristic.read, write: characteristic.write, notify: characteristic.notify,
                properties: characteristic.properties, maximumLength: characteristic.maximumLength))
        var configurationHandle: UInt16?
        if !characteristic.properties.isDisjoint(with: [.notify, .indicate]) {
            configurationHandle = next
            append(
                TableType.clientConfiguration, .descriptor, .clientConfiguration(valueHandle: valueHandle),
                write: characteristic.notify)
        }
        if characteristic.properties.contains(.extendedProperties) {
            var bits: [UInt8] = []
            bits.append(u16: characteristic.extendedProperties)
            append(TableType.extendedProperties, .descriptor, .fixed(bits))
        }
        var descriptorHandles: [UInt16] = []
        for descriptor in characteristic.descriptors {
            descriptorHandles.append(next)
            append(
                descriptor.uuid, .descriptor, descriptor.value.map { .fixed($0) } ?? .dynamic,
                read: descriptor.read, write: descriptor.write)
        }
        attributes[declaration].groupEnd = next &- 1
        return .init(
            valueHandle: valueHandle, descriptorHandles: descriptorHandles, configurationHandle: configurationHandle)
    }

    func finished() -> [Attribute] {
        var attributes = attributes
        if let last = attributes.last?.handle { attributes[0].groupEnd = last }
        return attributes
    }

    private mutating func append(
        _ type: BluetoothUUID, _ kind: Attribute.Kind, _ content: Attribute.Content,
        read: AttributeAccess = .open, write: AttributeAccess = .denied
    ) {
        attributes.append(
            Attribute(
                handle: next, type: type, kind: kind, owner: owner, content: content, generation: generation,
                read: read, write: write))
    }

    private static func content(of characteristic: LocalCharacteristic, owner: ServerOwner) -> Attribute.Content {
        if owner == .host, characteristic.uuid == GATTDatabase.clientSupportedFeatures {
            return .clientSupportedFeatures
        }
        return characteristic.value.map { .fixed($0) } ?? .dynamic
    }
}
