// SPDX-License-Identifier: Apache-2.0

import ATT
import BluetoothCore

/// Discover All Characteristics of a Service, and by UUID. Core 5.4, Vol 3, Part G, 4.6.
///
/// The whole service is walked either way: where a characteristic ends is only known from the next one.
struct CharacteristicDiscovery: GATTProcedure {
    private let wanted: [BluetoothUUID]?
    private let end: UInt16
    private var start: UInt16
    private var declarations: [(handle: UInt16, uuid: BluetoothUUID, properties: UInt8, valueHandle: UInt16)] = []

    init(_ handles: ATTPDU.HandleRange, _ wanted: [BluetoothUUID]?) {
        self.wanted = wanted
        start = handles.start
        end = handles.end
    }

    mutating func next(mtu: Int) -> ATTPDU {
        .readByTypeRequest(start: start, end: end, type: BluetoothUUID(GATTAttributeType.characteristic))
    }

    mutating func received(_ response: ATTPDU, mtu: Int) -> GATTStep {
        guard case .readByTypeResponse(let items) = response else { return .failed(.malformed) }
        for item in items {
            var reader = ByteReader(item.value)
            guard item.handle >= start, item.handle <= end, declarations.count < GATTLimit.attributes,
                let properties = try? reader.u8("Characteristic Properties"),
                let valueHandle = try? reader.u16("Characteristic Value Handle"), valueHandle > item.handle,
                valueHandle <= end, item.handle > declarations.last?.valueHandle ?? 0,
                let uuid = BluetoothUUID(attributeOctets: reader.rest())
            else { return .failed(.malformed) }
            declarations.append((item.handle, uuid, properties, valueHandle))
            guard item.handle < end else { return finish() }
            start = item.handle + 1
        }
        return .proceed
    }

    mutating func refused(_ error: ATTErrorCode) -> GATTStep {
        error == .attributeNotFound ? finish() : .failed(.refused(error))
    }

    private func finish() -> GATTStep {
        .finished(.characteristics(all.filter { wanted?.contains($0.uuid) ?? true }))
    }

    /// All that were found so far, wanted or not.
    var all: [RemoteCharacteristic] {
        declarations.enumerated().map { index, declaration in
            let last = index + 1 < declarations.count ? declarations[index + 1].handle - 1 : end
            return RemoteCharacteristic(
                uuid: declaration.uuid, properties: declaration.properties, valueHandle: declaration.valueHandle,
                endHandle: last)
        }
    }
}

/// Discover All Characteristic Descriptors. Core 5.4, Vol 3, Part G, 4.7.1.
struct DescriptorDiscovery: GATTProcedure {
    private let end: UInt16
    private var start: UInt16
    private var found: [ATTPDU.AttributeInformation] = []

    /// `handles`: what follows the characteristic's value.
    init(_ handles: ATTPDU.HandleRange) {
        start = handles.start
        end = handles.end
    }

    mutating func next(mtu: Int) -> ATTPDU { .findInformationRequest(start: start, end: end) }

    mutating func received(_ response: ATTPDU, mtu: Int) -> GATTStep {
        guard case .findInformationResponse(let list) = response else { return .failed(.malformed) }
        for item in list {
            guard item.handle >= start, item.handle <= end, found.count < GATTLimit.attributes else {
                return .failed(.malformed)
            }
            found.append(item)
            guard item.handle < end else { return .finished(.descriptors(found)) }
            start = item.handle + 1
        }
        return .proceed
    }

    mutating func refused(_ error: ATTErrorCode) -> GATTStep {
        error == .attributeNotFound ? .finished(.descriptors(found)) : .failed(.refused(error))
    }
}
