// SPDX-License-Identifier: Apache-2.0

import ATT
import BluetoothCore

/// Discover All Characteristics of a Service, and by UUID. Core 5.4, Vol 3, Part G, 4.6.
///
/// Both forms read the whole service: only the next characteristic shows where a characteristic ends.
struct CharacteristicDiscovery: GATTProcedure {
    private struct Declaration {
        let handle: UInt16
        /// Nil for a malformed declaration, which still ends the characteristic before it.
        let content: (uuid: BluetoothUUID, properties: UInt8, valueHandle: UInt16)?
    }

    private let wanted: [BluetoothUUID]?
    private let end: UInt16
    private var walk: DiscoveryWalk
    private var declarations: [Declaration] = []
    /// All usable characteristics, wanted or not, at the end of the discovery.
    private(set) var all: [RemoteCharacteristic] = []

    init(_ handles: ATTPDU.HandleRange, _ wanted: [BluetoothUUID]?) {
        self.wanted = wanted
        end = handles.end
        walk = DiscoveryWalk(.characteristic, from: handles.start, to: handles.end)
    }

    var oddities: GATTOddities { walk.oddities }

    mutating func next(mtu: Int) -> ATTPDU {
        .readByTypeRequest(start: walk.start, end: end, type: BluetoothUUID(GATTAttributeType.characteristic))
    }

    mutating func received(_ response: ATTPDU, mtu: Int) -> GATTStep {
        guard case .readByTypeResponse(let items) = response else { return receivedMalformed() }
        let taken = walk.admit(items, \.handle)
        declarations += taken.map { Declaration(handle: $0.handle, content: Self.content(of: $0.value)) }
        return walk.advance(past: taken.last?.handle) ? .proceed : finish()
    }

    mutating func refused(_ error: ATTErrorCode) -> GATTStep {
        walk.refused(error, hasFound: !declarations.isEmpty).map { .failed($0) } ?? finish()
    }

    mutating func receivedMalformed() -> GATTStep {
        walk.unreadable(hasFound: !declarations.isEmpty).map { .failed($0) } ?? finish()
    }

    /// A characteristic declaration's value. Core 5.4, Vol 3, Part G, 3.3.1.
    private static func content(
        of value: [UInt8]
    ) -> (uuid: BluetoothUUID, properties: UInt8, valueHandle: UInt16)? {
        var reader = ByteReader(value)
        guard let properties = try? reader.u8("Characteristic Properties"),
            let valueHandle = try? reader.u16("Characteristic Value Handle"),
            let uuid = BluetoothUUID(attributeOctets: reader.rest())
        else { return nil }
        return (uuid, properties, valueHandle)
    }

    private mutating func finish() -> GATTStep {
        all = []
        for (index, declaration) in declarations.enumerated() {
            let last = index + 1 < declarations.count ? declarations[index + 1].handle - 1 : end
            guard let (uuid, properties, valueHandle) = declaration.content else {
                walk.record(.badDeclaration, at: declaration.handle)
                continue
            }
            guard valueHandle > declaration.handle, valueHandle <= last else {
                walk.record(.valueOutside(valueHandle), at: declaration.handle)
                continue
            }
            all.append(
                RemoteCharacteristic(uuid: uuid, properties: properties, valueHandle: valueHandle, endHandle: last))
        }
        return .finished(.characteristics(all.filter { wanted?.contains($0.uuid) ?? true }))
    }
}

/// Discover All Characteristic Descriptors. Core 5.4, Vol 3, Part G, 4.7.1.
struct DescriptorDiscovery: GATTProcedure {
    private let end: UInt16
    private var walk: DiscoveryWalk
    private(set) var found: [ATTPDU.AttributeInformation] = []

    /// `handles`: the handles after the characteristic's value.
    init(_ handles: ATTPDU.HandleRange) {
        end = handles.end
        walk = DiscoveryWalk(.descriptor, from: handles.start, to: handles.end)
    }

    var oddities: GATTOddities { walk.oddities }

    mutating func next(mtu: Int) -> ATTPDU { .findInformationRequest(start: walk.start, end: end) }

    mutating func received(_ response: ATTPDU, mtu: Int) -> GATTStep {
        guard case .findInformationResponse(let list) = response else { return receivedMalformed() }
        let taken = walk.admit(list, \.handle)
        found += taken
        return walk.advance(past: taken.last?.handle) ? .proceed : finish()
    }

    mutating func refused(_ error: ATTErrorCode) -> GATTStep {
        walk.refused(error, hasFound: !found.isEmpty).map { .failed($0) } ?? finish()
    }

    mutating func receivedMalformed() -> GATTStep {
        walk.unreadable(hasFound: !found.isEmpty).map { .failed($0) } ?? finish()
    }

    private func finish() -> GATTStep { .finished(.descriptors(found)) }
}
