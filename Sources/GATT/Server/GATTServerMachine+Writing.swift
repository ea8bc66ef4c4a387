// SPDX-License-Identifier: Apache-2.0

import ATT
import BluetoothCore

/// Core 5.4, Vol 3, Part F, 3.4.5.
extension GATTServerMachine {
    mutating func write(
        _ handle: UInt16, _ value: [UInt8], _ arrival: MonotonicTime, _ context: ServerContext,
        _ effects: inout [Effect]
    ) {
        guard let attribute = context.database[handle: handle] else {
            return refuse(.writeRequest, .invalidHandle, handle, &effects)
        }
        if let error = refusal(ofWriting: attribute, .write, context) {
            return refuse(.writeRequest, error, handle, &effects)
        }
        guard value.count <= attribute.maximumLength else {
            return refuse(.writeRequest, .invalidAttributeValueLength, handle, &effects)
        }
        if attribute.isKeptForClient {
            if let error = refusal(ofKeeping: value, attribute, context) {
                return refuse(.writeRequest, error, handle, &effects)
            }
            send(.writeResponse, &effects)
            keep(value, attribute, context, &effects)
        } else {
            let id = ask(attribute.owner, handle, .write, arrival)
            let item = WriteItem(handle: handle, offset: 0, value: value)
            effects.append(.write(.init(id: id, owner: attribute.owner, items: [item])))
        }
    }

    /// Commands are never answered; what is not permitted is passed over. Signed ones are not supported.
    mutating func command(_ octets: ArraySlice<UInt8>, in context: ServerContext, _ effects: inout [Effect]) {
        let pdu = try? ATTPDU(decoding: octets)
        if case .signedWriteCommand = pdu {
            counters.signedWrites += 1
            return
        }
        guard case .writeCommand(let handle, let value) = pdu, !client.isUnaware,
            let attribute = context.database[handle: handle], attribute.kind == .value,
            refusal(ofWriting: attribute, .writeWithoutResponse, context) == nil,
            value.count <= attribute.maximumLength, !attribute.isKeptForClient
        else {
            counters.ignoredCommands += 1
            return
        }
        let item = WriteItem(handle: handle, offset: 0, value: value)
        effects.append(.write(.init(id: nil, owner: attribute.owner, items: [item])))
    }

    /// `property`: the property that the operation needs.
    func refusal(
        ofWriting attribute: Attribute, _ property: CharacteristicProperties, _ context: ServerContext
    ) -> ATTErrorCode? {
        guard attribute.write.isAllowed,
            attribute.kind != .value || attribute.properties.isSuperset(of: property)
        else { return .writeNotPermitted }
        return attribute.write.refusal(of: context.security)
    }

    // MARK: What each client has of its own

    /// Like BlueZ, answers 0xFD to bits that the characteristic does not offer. Core 5.4, Vol 3, Part G, 3.3.3.3 leaves
    /// the error open; the Supplement, Part B, 1.2 has this code for the case.
    func refusal(ofKeeping value: [UInt8], _ attribute: Attribute, _ context: ServerContext) -> ATTErrorCode? {
        switch attribute.content {
        case .clientConfiguration(let valueHandle):
            guard value.count == 2 else { return .invalidAttributeValueLength }
            guard let properties = context.database[handle: valueHandle]?.properties else { return .unlikelyError }
            let offered: UInt8 = (properties.contains(.notify) ? 1 : 0) | (properties.contains(.indicate) ? 2 : 0)
            return value[1] == 0 && value[0] & ~offered == 0 ? nil : .cccdImproperlyConfigured
        case .clientSupportedFeatures:
            guard let features = value.first else { return .invalidAttributeValueLength }
            // A client never withdraws a feature. Core 5.4, Vol 3, Part G, 7.2.
            return client.supportedFeatures & ~features == 0 ? nil : .valueNotAllowed
        case .fixed, .dynamic:
            return .writeNotPermitted
        }
    }

    /// Takes a value for which ``refusal(ofKeeping:_:_:)`` is nil.
    mutating func keep(
        _ value: [UInt8], _ attribute: Attribute, _ context: ServerContext, _ effects: inout [Effect]
    ) {
        guard let first = value.first else { return }
        switch attribute.content {
        case .clientConfiguration(let valueHandle):
            configure(valueHandle, owner: attribute.owner, UInt16(first), context, &effects)
        case .clientSupportedFeatures:
            let features = first & ClientRecord.knownFeatures
            guard features != client.supportedFeatures else { return }
            client.supportedFeatures = features
            stateIsDirty = true
        case .fixed, .dynamic:
            return
        }
    }
}

extension Attribute {
    /// Kept by each client's machine; no owner is asked.
    var isKeptForClient: Bool {
        switch content {
        case .clientConfiguration, .clientSupportedFeatures: true
        case .fixed, .dynamic: false
        }
    }
}
