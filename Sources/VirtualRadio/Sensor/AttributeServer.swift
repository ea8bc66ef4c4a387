// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// An ATT error in an answer of a simulated sensor. Core 5.4, Vol 3, Part F, 3.4.1.1.
struct AttributeError: Error, Equatable {
    enum Code: UInt8 {
        case invalidHandle = 0x01
        case readNotPermitted = 0x02
        case writeNotPermitted = 0x03
        case invalidPDU = 0x04
        case requestNotSupported = 0x06
        case invalidOffset = 0x07
        case prepareQueueFull = 0x09
        case attributeNotFound = 0x0A
        case invalidAttributeLength = 0x0D
        case unsupportedGroupType = 0x10
        case databaseOutOfSync = 0x12
        case valueNotAllowed = 0x13
        case improperlyConfigured = 0xFD
    }

    let code: Code
    var handle: UInt16 = 0
}

/// An act of a client that the sensor has to react to.
enum AttributeEffect: Equatable {
    case configured(stream: Int)
    case echo([UInt8], stream: Int)
    case confirmed
}

/// The ATT server of one link of a simulated sensor.
struct AttributeServer {
    static let maximumMTU: UInt16 = 247
    static let maximumValue = 512

    private(set) var table: AttributeTable
    private(set) var mtu = 23
    /// The client's last value for each stream's configuration: bit 0 notifications, bit 1 indications.
    private(set) var configurations: [UInt16]
    private var prepared: [(handle: UInt16, offset: Int, value: ArraySlice<UInt8>)] = []

    /// Client Supported Features.
    private var clientFeatures: UInt8 = 0
    /// The client does not know that the table has changed.
    private var isChangeUnaware = false

    init(table: AttributeTable) {
        self.table = table
        configurations = table.streams.map { table.hasConfigurations || !$0.properties.contains(.notify) ? 0 : 1 }
    }

    /// Acts like a sensor that restarts while its radio keeps the link.
    mutating func forgetConfigurations() { configurations = [UInt16](repeating: 0, count: configurations.count) }

    /// Replaces the table; the streams stay.
    mutating func replace(_ new: AttributeTable) {
        table = new
        prepared = []
        isChangeUnaware = true
    }

    /// Core 5.4, Vol 3, Part G, 2.5.2.1: a client with robust caching is told once that its handles may be wrong. A
    /// request that finds the hash is always allowed.
    private mutating func checkAwareness(_ opcode: UInt8, _ parameters: ArraySlice<UInt8>) throws(AttributeError) {
        guard isChangeUnaware, clientFeatures & 1 != 0, opcode != 0x02, opcode != 0x1E else { return }
        // Commands are ignored until then.
        guard opcode & 0x40 == 0 else { throw AttributeError(code: .databaseOutOfSync) }
        let readsHash = opcode == 0x08 && parameters.dropFirst(4).elementsEqual([0x2A, 0x2B])
        isChangeUnaware = false
        guard readsHash else { throw AttributeError(code: .databaseOutOfSync) }
    }

    func isSubscribed(_ stream: Int) -> Bool { configurations[stream] != 0 }

    /// The source and the target of values.
    struct Store {
        /// The latest value of each stream, for a read.
        var current: (Int) -> [UInt8]
        var scratch: [UInt8]
    }

    /// The response to a PDU, nil if none is due, and the effect of the PDU.
    mutating func receive(_ pdu: ArraySlice<UInt8>, _ store: inout Store) -> (response: [UInt8]?, AttributeEffect?) {
        guard let opcode = pdu.first else { return (nil, nil) }
        var effect: AttributeEffect?
        do {
            try checkAwareness(opcode, pdu.dropFirst())
            var reader = ByteReader(pdu.dropFirst())
            return (try respond(opcode, &reader, &store, &effect), effect)
        } catch {
            // Commands, and PDUs that are no request, never get an answer, not even an error. Vol 3, Part F, 3.3.
            guard opcode & 0x40 == 0, opcode & 1 == 0, opcode != 0x1E else { return (nil, nil) }
            let error = error as? AttributeError ?? AttributeError(code: .invalidPDU)
            return ([0x01, opcode] + error.handle.octets + [error.code.rawValue], nil)
        }
    }

    private mutating func respond(
        _ opcode: UInt8, _ reader: inout ByteReader, _ store: inout Store, _ effect: inout AttributeEffect?
    ) throws -> [UInt8]? {
        switch opcode {
        case 0x02: return try exchangeMTU(&reader)
        case 0x04: return try findInformation(&reader)
        case 0x06: return try findByTypeValue(&reader)
        case 0x08: return try readByType(&reader, store)
        case 0x0A, 0x0C: return try read(&reader, store, isBlob: opcode == 0x0C)
        case 0x10: return try readByGroupType(&reader)
        case 0x12, 0x52:
            let handle = try reader.u16("attributeHandle")
            try write(Array(reader.rest()), to: handle, &store, &effect)
            return opcode == 0x12 ? [0x13] : nil
        case 0x16: return try prepareWrite(&reader)
        case 0x18: return try executeWrite(&reader, &store)
        case 0x1E:
            try reader.finish()
            // A client that confirms Service Changed knows of the change.
            isChangeUnaware = false
            effect = .confirmed
            return nil
        default: throw AttributeError(code: .requestNotSupported)
        }
    }

    private mutating func exchangeMTU(_ reader: inout ByteReader) throws -> [UInt8] {
        let client = try reader.u16("clientRxMTU")
        try reader.finish()
        mtu = Int(max(23, min(client, Self.maximumMTU)))
        return [0x03] + Self.maximumMTU.octets
    }

    // MARK: Discovery

    private func range(_ reader: inout ByteReader) throws -> (start: UInt16, end: UInt16) {
        let start = try reader.u16("startingHandle")
        let end = try reader.u16("endingHandle")
        guard start > 0, start <= end else { throw AttributeError(code: .invalidHandle, handle: start) }
        return (start, end)
    }

    private func findInformation(_ reader: inout ByteReader) throws -> [UInt8] {
        let (start, end) = try range(&reader)
        try reader.finish()
        var response: [UInt8] = []
        for (handle, attribute) in table.attributes(from: start, to: end) {
            let uuid = attribute.type.attributeOctets
            let format: UInt8 = uuid.count == 2 ? 1 : 2
            if response.isEmpty { response = [0x05, format] }
            guard response[1] == format, response.count + 2 + uuid.count <= mtu else { break }
            response += handle.octets + uuid
        }
        guard !response.isEmpty else { throw AttributeError(code: .attributeNotFound, handle: start) }
        return response
    }

    private func findByTypeValue(_ reader: inout ByteReader) throws -> [UInt8] {
        let (start, end) = try range(&reader)
        let type = BluetoothUUID(try reader.u16("attributeType"))
        let value = Array(reader.rest())
        var response: [UInt8] = [0x07]
        for (handle, attribute) in table.attributes(from: start, to: end) {
            guard attribute.type == type, attribute.content == .constant(value) else { continue }
            guard response.count + 4 <= mtu else { break }
            response += handle.octets + (attribute.groupEnd ?? handle).octets
        }
        guard response.count > 1 else { throw AttributeError(code: .attributeNotFound, handle: start) }
        return response
    }

    private func readByGroupType(_ reader: inout ByteReader) throws -> [UInt8] {
        let (start, end) = try range(&reader)
        guard try reader.uuid() == AttributeTable.primaryService else {
            throw AttributeError(code: .unsupportedGroupType, handle: start)
        }
        var response: [UInt8] = []
        for (handle, attribute) in table.attributes(from: start, to: end) {
            guard let groupEnd = attribute.groupEnd, case .constant(let value) = attribute.content else { continue }
            let length = UInt8(clamping: 4 + value.count)
            if response.isEmpty { response = [0x11, length] }
            guard response[1] == length, response.count + Int(length) <= mtu else { break }
            response += handle.octets + groupEnd.octets + value
        }
        guard !response.isEmpty else { throw AttributeError(code: .attributeNotFound, handle: start) }
        return response
    }

    private func readByType(_ reader: inout ByteReader, _ store: Store) throws -> [UInt8] {
        let (start, end) = try range(&reader)
        let type = try reader.uuid()
        var response: [UInt8] = []
        for (handle, attribute) in table.attributes(from: start, to: end) where attribute.type == type {
            guard attribute.isReadable else {
                if response.isEmpty { throw AttributeError(code: .readNotPermitted, handle: handle) }
                break
            }
            let value = value(of: attribute, store).prefix(min(mtu - 4, 253))
            let length = UInt8(value.count + 2)
            if response.isEmpty { response = [0x09, length] }
            guard response[1] == length, response.count + Int(length) <= mtu else { break }
            response += handle.octets + value
        }
        guard !response.isEmpty else { throw AttributeError(code: .attributeNotFound, handle: start) }
        return response
    }

    // MARK: Values

    private func value(of attribute: Attribute, _ store: Store) -> [UInt8] {
        switch attribute.content {
        case .constant(let value): value
        case .stream(let stream): store.current(stream)
        case .configuration(let stream): configurations[stream].octets
        case .scratch: store.scratch
        case .clientFeatures: [clientFeatures]
        case .databaseHash: table.hash
        case .inlet: []
        }
    }

    private func attribute(_ handle: UInt16) throws(AttributeError) -> Attribute {
        guard let attribute = table[handle] else { throw AttributeError(code: .invalidHandle, handle: handle) }
        return attribute
    }

    private func read(_ reader: inout ByteReader, _ store: Store, isBlob: Bool) throws -> [UInt8] {
        let handle = try reader.u16("attributeHandle")
        let offset = isBlob ? Int(try reader.u16("valueOffset")) : 0
        try reader.finish()
        let attribute = try attribute(handle)
        guard attribute.isReadable else { throw AttributeError(code: .readNotPermitted, handle: handle) }
        let value = value(of: attribute, store)
        guard offset <= value.count else { throw AttributeError(code: .invalidOffset, handle: handle) }
        return [isBlob ? 0x0D : 0x0B] + value[offset...].prefix(mtu - 1)
    }

    private mutating func write(
        _ value: [UInt8], to handle: UInt16, _ store: inout Store, _ effect: inout AttributeEffect?
    ) throws {
        let attribute = try attribute(handle)
        guard attribute.isWritable else { throw AttributeError(code: .writeNotPermitted, handle: handle) }
        switch attribute.content {
        case .configuration(let stream):
            guard value.count == 2 else { throw AttributeError(code: .invalidAttributeLength, handle: handle) }
            let bits = UInt16(value[0]) | UInt16(value[1]) << 8
            let properties = table.streams[stream].properties
            guard bits & 1 == 0 || properties.contains(.notify), bits & 2 == 0 || properties.contains(.indicate) else {
                throw AttributeError(code: .improperlyConfigured, handle: handle)
            }
            configurations[stream] = bits & 3
            effect = .configured(stream: stream)
        case .scratch:
            guard value.count <= Self.maximumValue else {
                throw AttributeError(code: .invalidAttributeLength, handle: handle)
            }
            store.scratch = value
        case .clientFeatures:
            guard let new = value.first else { throw AttributeError(code: .invalidAttributeLength, handle: handle) }
            // Set bits stay set. Vol 3, Part G, 7.2.
            guard new & clientFeatures == clientFeatures else {
                throw AttributeError(code: .valueNotAllowed, handle: handle)
            }
            clientFeatures = new
        case .inlet(let stream):
            guard value.count <= Self.maximumValue else {
                throw AttributeError(code: .invalidAttributeLength, handle: handle)
            }
            effect = .echo(value, stream: stream)
        case .constant, .stream, .databaseHash:
            throw AttributeError(code: .writeNotPermitted, handle: handle)
        }
    }

    // MARK: Long writes

    private var supportsPreparedWrites: Bool { table.attributes.contains(where: \.isWritableInParts) }

    private mutating func prepareWrite(_ reader: inout ByteReader) throws -> [UInt8] {
        guard supportsPreparedWrites else { throw AttributeError(code: .requestNotSupported) }
        let handle = try reader.u16("attributeHandle")
        let offset = try reader.u16("valueOffset")
        let value = reader.rest()
        guard try attribute(handle).isWritableInParts else {
            throw AttributeError(code: .writeNotPermitted, handle: handle)
        }
        guard prepared.count < 64, prepared.reduce(value.count, { $0 + $1.value.count }) <= 2 * Self.maximumValue else {
            throw AttributeError(code: .prepareQueueFull, handle: handle)
        }
        prepared.append((handle, Int(offset), value))
        return [0x17] + handle.octets + offset.octets + value
    }

    private mutating func executeWrite(_ reader: inout ByteReader, _ store: inout Store) throws -> [UInt8] {
        guard supportsPreparedWrites else { throw AttributeError(code: .requestNotSupported) }
        let flags = try reader.u8("flags")
        try reader.finish()
        let parts = prepared
        prepared = []
        guard flags == 1 else { return [0x19] }
        // A client can only prepare the scratch value. Vol 3, Part F, 3.4.6.3: all or nothing.
        var value = store.scratch
        for part in parts {
            guard part.offset <= value.count else { throw AttributeError(code: .invalidOffset, handle: part.handle) }
            value = Array(value.prefix(part.offset) + part.value)
            guard value.count <= Self.maximumValue else {
                throw AttributeError(code: .invalidAttributeLength, handle: part.handle)
            }
        }
        if !parts.isEmpty { store.scratch = value }
        return [0x19]
    }
}

extension ByteReader {
    /// A UUID of 2 or 16 octets that takes up the rest.
    fileprivate mutating func uuid() throws(DecodeError) -> BluetoothUUID {
        let octets = rest()
        guard octets.count != 4, let uuid = BluetoothUUID(littleEndian: octets) else {
            throw .invalid(field: "attributeType")
        }
        return uuid
    }
}
