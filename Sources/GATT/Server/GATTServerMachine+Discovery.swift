// SPDX-License-Identifier: Apache-2.0

import ATT
import BluetoothCore

/// Core 5.4, Vol 3, Part F, 3.4.3 and 3.4.4.9.
extension GATTServerMachine {
    mutating func findInformation(
        _ start: UInt16, _ end: UInt16, _ context: ServerContext, _ effects: inout [Effect]
    ) {
        var list: [ATTPDU.AttributeInformation] = []
        var room = mtu - 2
        for attribute in context.database.attributes(from: start, to: end) {
            // A response has UUIDs of one length.
            if let first = list.first, (first.type.short == nil) != (attribute.type.short == nil) { break }
            room -= attribute.type.short == nil ? 18 : 4
            guard room >= 0 else { break }
            list.append(.init(handle: attribute.handle, type: attribute.type))
        }
        guard !list.isEmpty else { return refuse(.findInformationRequest, .attributeNotFound, start, &effects) }
        send(.findInformationResponse(list), &effects)
    }

    mutating func findByTypeValue(
        _ start: UInt16, _ end: UInt16, _ type: BluetoothUUID, _ value: [UInt8], _ context: ServerContext,
        _ effects: inout [Effect]
    ) {
        var list: [ATTPDU.HandleRange] = []
        let capacity = (mtu - 1) / 4
        for attribute in context.database.attributes(from: start, to: end) where attribute.type == type {
            guard list.count < capacity else { break }
            // Owners are not asked: a search would wake every one of them.
            guard refusal(ofReading: attribute, context) == nil, knownValue(of: attribute) == value else { continue }
            list.append(.init(start: attribute.handle, end: attribute.groupEnd))
        }
        guard !list.isEmpty else { return refuse(.findByTypeValueRequest, .attributeNotFound, start, &effects) }
        send(.findByTypeValueResponse(list), &effects)
    }

    mutating func readByGroupType(
        _ start: UInt16, _ end: UInt16, _ type: BluetoothUUID, _ context: ServerContext, _ effects: inout [Effect]
    ) {
        guard type == TableType.primaryService || type == TableType.secondaryService else {
            return refuse(.readByGroupTypeRequest, .unsupportedGroupType, start, &effects)
        }
        var list: [ATTPDU.GroupValue] = []
        var room = mtu - 2
        for attribute in context.database.attributes(from: start, to: end) where attribute.type == type {
            guard case .service = attribute.kind, let value = attribute.fixedValue else { continue }
            if let first = list.first, first.value.count != value.count { break }
            room -= 4 + value.count
            guard room >= 0 else { break }
            list.append(.init(start: attribute.handle, end: attribute.groupEnd, value: value))
        }
        guard !list.isEmpty else { return refuse(.readByGroupTypeRequest, .attributeNotFound, start, &effects) }
        send(.readByGroupTypeResponse(list), &effects)
    }
}
