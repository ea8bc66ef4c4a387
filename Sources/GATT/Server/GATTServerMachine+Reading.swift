// SPDX-License-Identifier: Apache-2.0

import ATT
import BluetoothCore

/// Core 5.4, Vol 3, Part F, 3.4.4.
extension GATTServerMachine {
    /// Read, and Read Blob. An offset at the very end gives an empty part.
    mutating func read(
        _ opcode: ATTOpcode, _ handle: UInt16, offset: Int, _ arrival: MonotonicTime, _ context: ServerContext,
        _ effects: inout [Effect]
    ) {
        guard let attribute = context.database[handle: handle] else {
            return refuse(opcode, .invalidHandle, handle, &effects)
        }
        if let error = refusal(ofReading: attribute, context) { return refuse(opcode, error, handle, &effects) }
        guard let value = knownValue(of: attribute) else {
            guard offset <= Attribute.maximumLength else { return refuse(opcode, .invalidOffset, handle, &effects) }
            let id = ask(attribute.owner, handle, .read(opcode: opcode), arrival)
            return effects.append(.read(.init(id: id, owner: attribute.owner, handle: handle, offset: offset)))
        }
        guard offset <= value.count else { return refuse(opcode, .invalidOffset, handle, &effects) }
        recordRead(attribute)
        answer(opcode, value[offset...], &effects)
    }

    /// The first attribute decides whether there is an error, and how long the values of the list are. A value that
    /// an owner has to be asked for comes alone: the client goes on behind it.
    mutating func readByType(
        _ start: UInt16, _ end: UInt16, _ type: BluetoothUUID, _ arrival: MonotonicTime, _ context: ServerContext,
        _ effects: inout [Effect]
    ) {
        var list: [ATTPDU.AttributeValue] = []
        var room = mtu - 2
        for attribute in context.database.attributes(from: start, to: end) where attribute.type == type {
            if let error = refusal(ofReading: attribute, context) {
                guard list.isEmpty else { break }
                return refuse(.readByTypeRequest, error, attribute.handle, &effects)
            }
            guard let whole = knownValue(of: attribute) else {
                guard list.isEmpty else { break }
                let id = ask(attribute.owner, attribute.handle, .readByType, arrival)
                return effects.append(
                    .read(.init(id: id, owner: attribute.owner, handle: attribute.handle, offset: 0)))
            }
            let value = Array(whole.prefix(longestListedValue))
            if let first = list.first, first.value.count != value.count { break }
            room -= 2 + value.count
            guard room >= 0 else { break }
            recordRead(attribute)
            list.append(.init(handle: attribute.handle, value: value))
        }
        guard !list.isEmpty else { return refuse(.readByTypeRequest, .attributeNotFound, start, &effects) }
        send(.readByTypeResponse(list), &effects)
    }

    /// Read Multiple, and Read Multiple Variable. All handles are checked before an owner is asked.
    mutating func readMultiple(
        _ opcode: ATTOpcode, _ handles: [UInt16], _ arrival: MonotonicTime, _ context: ServerContext,
        _ effects: inout [Effect]
    ) {
        if let (error, handle) = refusal(ofReading: handles, context) {
            return refuse(opcode, error, handle, &effects)
        }
        proceed(OwnedMultipleRead(opcode: opcode, remaining: handles[...]), arrival, context, &effects)
    }

    /// Collects values up to the size of the answer, or up to the next owner to ask.
    mutating func proceed(
        _ reading: OwnedMultipleRead, _ arrival: MonotonicTime, _ context: ServerContext, _ effects: inout [Effect]
    ) {
        var reading = reading
        while !reading.isFull(mtu), let handle = reading.remaining.popFirst() {
            guard let attribute = context.database[handle: handle] else {
                return refuse(reading.opcode, .invalidHandle, handle, &effects)
            }
            // The link may be less secure since the handles were checked.
            if let error = refusal(ofReading: attribute, context) {
                return refuse(reading.opcode, error, handle, &effects)
            }
            guard let value = knownValue(of: attribute) else {
                let id = ask(attribute.owner, handle, .readMultiple(reading), arrival)
                return effects.append(.read(.init(id: id, owner: attribute.owner, handle: handle, offset: 0)))
            }
            recordRead(attribute)
            reading.append(value, of: handle)
        }
        // Attributes read before an owner's answer may have changed since.
        if let (error, handle) = refusal(ofReading: reading.handles, context) {
            return refuse(reading.opcode, error, handle, &effects)
        }
        answer(reading.opcode, reading.values[...], &effects)
    }

    /// A response that is its opcode and as much of the value as fits.
    mutating func answer(_ opcode: ATTOpcode, _ value: ArraySlice<UInt8>, _ effects: inout [Effect]) {
        effects.append(.send([opcode.rawValue &+ 1] + value.prefix(mtu - 1)))
    }

    /// A handle-value pair counts its octets in one octet. Core 5.4, Vol 3, Part F, 3.4.4.2.
    var longestListedValue: Int { min(mtu - 4, 253) }

    /// The first of the attributes that may not be read, and why.
    func refusal(ofReading handles: [UInt16], _ context: ServerContext) -> (ATTErrorCode, UInt16)? {
        for handle in handles {
            guard let attribute = context.database[handle: handle] else { return (.invalidHandle, handle) }
            if let error = refusal(ofReading: attribute, context) { return (error, handle) }
        }
        return nil
    }

    func refusal(ofReading attribute: Attribute, _ context: ServerContext) -> ATTErrorCode? {
        guard attribute.read.isAllowed, attribute.kind != .value || attribute.properties.contains(.read) else {
            return .readNotPermitted
        }
        return attribute.read.refusal(of: context.security)
    }

    /// Nil if the owner has to be asked.
    func knownValue(of attribute: Attribute) -> [UInt8]? {
        switch attribute.content {
        case .fixed(let value):
            return value
        case .dynamic:
            return nil
        case .clientConfiguration(let valueHandle):
            var value: [UInt8] = []
            value.append(u16: client.configurations[valueHandle] ?? 0)
            return value
        case .clientSupportedFeatures:
            return [client.supportedFeatures]
        }
    }
}

extension OwnedMultipleRead {
    private var isVariable: Bool { opcode == .readMultipleVariableRequest }

    /// A length is not cut: without both of its octets it says nothing.
    func isFull(_ mtu: Int) -> Bool { values.count + (isVariable ? 2 : 1) > mtu - 1 }

    /// The length is the length of the whole value, even if the value is cut later. Core 5.4, Vol 3, Part F, 3.4.4.12.
    mutating func append(_ value: [UInt8], of handle: UInt16) {
        handles.append(handle)
        if isVariable { values.append(u16: UInt16(truncatingIfNeeded: value.count)) }
        values += value
    }
}
