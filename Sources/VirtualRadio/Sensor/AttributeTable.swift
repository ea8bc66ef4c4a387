// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// One attribute of a simulated sensor.
struct Attribute {
    enum Content: Equatable {
        case constant([UInt8])
        /// The latest value of a stream.
        case stream(Int)
        /// The Client Characteristic Configuration of a stream.
        case configuration(stream: Int)
        /// The last value that a client wrote.
        case scratch
        /// The features that the link's client supports. Core 5.4, Vol 3, Part G, 7.2.
        case clientFeatures
        case databaseHash
        /// A written value that is sent back on a stream.
        case inlet(stream: Int)
    }

    let type: BluetoothUUID
    fileprivate(set) var content: Content
    let isReadable: Bool
    let isWritable: Bool
    /// The last handle of the group, for service declarations.
    var groupEnd: UInt16?

    var isWritableInParts: Bool { content == .scratch }
}

struct CharacteristicProperties: OptionSet {
    let rawValue: UInt8
    static let read = Self(rawValue: 0x02)
    static let writeWithoutResponse = Self(rawValue: 0x04)
    static let write = Self(rawValue: 0x08)
    static let notify = Self(rawValue: 0x10)
    static let indicate = Self(rawValue: 0x20)
}

/// The attributes of a sensor; handle 1 is the first.
struct AttributeTable {
    static let primaryService = BluetoothUUID(0x2800 as UInt16)
    static let include = BluetoothUUID(0x2802 as UInt16)
    static let characteristic = BluetoothUUID(0x2803 as UInt16)
    static let clientConfiguration = BluetoothUUID(0x2902 as UInt16)
    static let userDescription = BluetoothUUID(0x2901 as UInt16)
    static let clientFeatures = BluetoothUUID(0x2B29 as UInt16)
    static let databaseHash = BluetoothUUID(0x2B2A as UInt16)

    private(set) var attributes: [Attribute] = []
    /// The value handle and the properties of each stream.
    private(set) var streams: [(handle: UInt16, properties: CharacteristicProperties)] = []

    private let oddities: Set<SensorOddity>

    init(oddities: Set<SensorOddity> = []) { self.oddities = oddities }

    var hasConfigurations: Bool { !oddities.contains(.lacksConfigurations) }

    subscript(handle: UInt16) -> Attribute? {
        handle >= 1 && Int(handle) <= attributes.count ? attributes[Int(handle) - 1] : nil
    }

    /// Handles and attributes from `start` to `end`.
    func attributes(from start: UInt16, to end: UInt16) -> [(handle: UInt16, attribute: Attribute)] {
        guard start >= 1, start <= end, Int(start) <= attributes.count else { return [] }
        return (start...min(end, UInt16(attributes.count))).map { ($0, attributes[Int($0) - 1]) }
    }

    /// The attribute at a handle, and the service around it.
    func subjects(of handle: UInt16) -> [UInt16] {
        var subjects = self[handle]?.type.short.map { [$0] } ?? []
        guard handle >= 1 else { return subjects }
        for attribute in attributes.prefix(Int(handle)).reversed() where attribute.type == Self.primaryService {
            if case .constant(let uuid) = attribute.content, uuid.count == 2 {
                subjects.append(UInt16(uuid[0]) | UInt16(uuid[1]) << 8)
            }
            break
        }
        return subjects
    }

    mutating func addService(_ uuid: BluetoothUUID, _ add: (inout AttributeTable) -> Void) {
        let index = attributes.count
        append(Self.primaryService, .constant(uuid.attributeOctets))
        add(&self)
        attributes[index].groupEnd = UInt16(attributes.count)
    }

    /// Declares that the service under construction includes another one, which may come later. Before all characteristics.
    mutating func addInclude(of service: UInt16) { append(Self.include, .constant(service.octets)) }

    /// Completes the include declarations, when all services are there: handle, end and UUID of the service. Core 5.4,
    /// Vol 3, Part G, 3.2.
    mutating func completeIncludes() {
        for index in attributes.indices where attributes[index].type == Self.include {
            guard case .constant(let uuid) = attributes[index].content,
                let place = attributes.firstIndex(where: {
                    $0.type == Self.primaryService && $0.content == .constant(uuid)
                }), let end = attributes[place].groupEnd
            else { continue }
            attributes[index].content = .constant(UInt16(place + 1).octets + end.octets + uuid)
        }
    }

    mutating func addConstant(_ uuid: BluetoothUUID, _ value: [UInt8]) {
        declare(uuid, .read)
        append(uuid, .constant(value))
    }

    mutating func addScratch(_ uuid: BluetoothUUID) {
        declare(uuid, [.read, .write, .writeWithoutResponse])
        append(uuid, .scratch, isWritable: true)
    }

    /// Client Supported Features and Database Hash.
    mutating func addRobustCaching() {
        declare(Self.clientFeatures, [.read, .write])
        append(Self.clientFeatures, .clientFeatures, isWritable: true)
        declare(Self.databaseHash, .read)
        append(Self.databaseHash, .databaseHash)
    }

    /// 16 octets that change with the table. Clients only compare them, so they need not be the AES-CMAC of Core 5.4,
    /// Vol 3, Part G, 7.3.
    var hash: [UInt8] {
        var state: UInt64 = 0xCBF2_9CE4_8422_2325
        func mix(_ octets: [UInt8]) { for octet in octets { state = (state ^ UInt64(octet)) &* 0x100_0000_01B3 } }
        for (index, attribute) in attributes.enumerated() {
            mix(UInt16(truncatingIfNeeded: index).octets + attribute.type.attributeOctets)
            if let end = attribute.groupEnd { mix(end.octets) }
        }
        var value: [UInt8] = []
        value.append(u64: state)
        value.append(u64: ~state)
        return value
    }

    /// Takes the values that clients write, for the next stream.
    mutating func addInlet(_ uuid: BluetoothUUID) {
        declare(uuid, [.write, .writeWithoutResponse])
        append(uuid, .inlet(stream: streams.count), isReadable: false, isWritable: true)
    }

    /// A value for notifications or indications, with its configuration.
    mutating func addStream(_ wanted: BluetoothUUID, _ properties: CharacteristicProperties) {
        let uuid = declared(wanted)
        declare(uuid, properties)
        append(uuid, .stream(streams.count), isReadable: properties.contains(.read))
        let handle = UInt16(attributes.count)
        if hasConfigurations {
            append(Self.clientConfiguration, .configuration(stream: streams.count), isWritable: true)
        }
        for case .describes(wanted.short, as: let text) in oddities { append(Self.userDescription, .constant(text)) }
        streams.append((handle, properties))
    }

    private func declared(_ uuid: BluetoothUUID) -> BluetoothUUID {
        for case .declares(let own, let other) in oddities where own == uuid.short { return BluetoothUUID(other) }
        return uuid
    }

    private mutating func declare(_ uuid: BluetoothUUID, _ properties: CharacteristicProperties) {
        var value: [UInt8] = [properties.rawValue]
        let isMisplaced = uuid.short.map { oddities.contains(.misplacesValue($0)) } ?? false
        value.append(u16: isMisplaced ? 0xFFF0 : UInt16(attributes.count + 2))
        append(Self.characteristic, .constant(value + uuid.attributeOctets))
    }

    private mutating func append(
        _ type: BluetoothUUID, _ content: Attribute.Content, isReadable: Bool = true, isWritable: Bool = false
    ) {
        attributes.append(Attribute(type: type, content: content, isReadable: isReadable, isWritable: isWritable))
    }
}
