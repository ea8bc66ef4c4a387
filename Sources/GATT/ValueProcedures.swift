// SPDX-License-Identifier: Apache-2.0

import ATT
import BluetoothCore

/// Read Characteristic Value and Read Long Characteristic Value. Core 5.4, Vol 3, Part G, 4.8.1 and 4.8.3.
struct ValueRead: GATTProcedure {
    private let handle: UInt16
    private var value: [UInt8] = []
    private var isLong = false

    init(handle: UInt16) { self.handle = handle }

    mutating func next(mtu: Int) -> ATTPDU {
        isLong
            ? .readBlobRequest(handle: handle, offset: UInt16(truncatingIfNeeded: value.count))
            : .readRequest(handle: handle)
    }

    mutating func received(_ response: ATTPDU, mtu: Int) -> GATTStep {
        let part: [UInt8]
        switch response {
        case .readResponse(let octets): part = octets
        case .readBlobResponse(let octets): part = octets
        default: return .failed(.malformed)
        }
        // There are servers that send more than the MTU allows. What is beyond it is asked for again.
        value.append(contentsOf: part.prefix(mtu - 1))
        guard value.count <= GATTLimit.valueLength else { return .failed(.malformed) }
        // A full PDU means that there may be more.
        guard part.count >= mtu - 1, value.count < GATTLimit.valueLength else { return .finished(.value(value)) }
        isLong = true
        return .proceed
    }

    mutating func refused(_ error: ATTErrorCode) -> GATTStep {
        // The value was exactly as long as one PDU: both answers are what servers give to a read behind its end.
        if isLong, error == .attributeNotLong || error == .invalidOffset { return .finished(.value(value)) }
        return .failed(.refused(error))
    }
}

/// Read Using Characteristic UUID; what one PDU holds is enough. Core 5.4, Vol 3, Part G, 4.8.2. A short UUID that is not
/// found is looked for in 128 bits, too.
struct TypeRead: GATTProcedure {
    let type: BluetoothUUID
    private var isLong = false

    init(type: BluetoothUUID) { self.type = type }

    mutating func next(mtu: Int) -> ATTPDU {
        isLong
            ? .readByTypeRequest(start: 1, end: 0xFFFF, longType: type)
            : .readByTypeRequest(start: 1, end: 0xFFFF, type: type)
    }

    mutating func refused(_ error: ATTErrorCode) -> GATTStep {
        guard error == .attributeNotFound, !isLong, type.short != nil else { return .failed(.refused(error)) }
        isLong = true
        return .proceed
    }

    mutating func received(_ response: ATTPDU, mtu: Int) -> GATTStep {
        guard case .readByTypeResponse(let items) = response, let first = items.first else {
            return .failed(.malformed)
        }
        return .finished(.value(first.value))
    }
}

/// Finds and writes a Client Characteristic Configuration descriptor. Core 5.4, Vol 3, Part G, 4.10 and 4.11.
struct Configuration: GATTProcedure {
    private var discovery: DescriptorDiscovery
    private let configuration: ClientCharacteristicConfiguration
    /// The descriptor's handle, where it is known.
    private(set) var descriptor: UInt16?
    private let valueHandle: UInt16
    /// The characteristic has no such descriptor.
    private var isMissing = false

    /// The descriptor is known.
    init(descriptor: UInt16, _ configuration: ClientCharacteristicConfiguration) {
        discovery = DescriptorDiscovery(ATTPDU.HandleRange(start: descriptor, end: descriptor))
        self.configuration = configuration
        self.descriptor = descriptor
        valueHandle = descriptor
    }

    /// Nil when nothing can follow the value.
    init?(valueHandle: UInt16, endHandle: UInt16, _ configuration: ClientCharacteristicConfiguration) {
        guard valueHandle < endHandle else { return nil }
        discovery = DescriptorDiscovery(ATTPDU.HandleRange(start: valueHandle + 1, end: endHandle))
        self.configuration = configuration
        self.valueHandle = valueHandle
    }

    mutating func next(mtu: Int) -> ATTPDU {
        guard let descriptor else { return discovery.next(mtu: mtu) }
        var value: [UInt8] = []
        value.append(u16: configuration.rawValue)
        return .writeRequest(handle: descriptor, value: value)
    }

    var oddities: GATTOddities {
        var oddities = discovery.oddities
        if isMissing { oddities.note(GATTOddity(.descriptor, .noConfiguration, at: valueHandle)) }
        return oddities
    }

    mutating func received(_ response: ATTPDU, mtu: Int) -> GATTStep {
        if case .writeResponse = response, descriptor != nil { return .finished(.written) }
        return follow(discovery.received(response, mtu: mtu))
    }

    mutating func refused(_ error: ATTErrorCode) -> GATTStep {
        descriptor == nil ? follow(discovery.refused(error)) : .failed(.refused(error))
    }

    mutating func receivedMalformed() -> GATTStep {
        descriptor == nil ? follow(discovery.receivedMalformed()) : .failed(.malformed)
    }

    private mutating func follow(_ step: GATTStep) -> GATTStep {
        if case .failed = step { return step }
        // The discovery has seen to it that the handles are in the range.
        if let found = discovery.found.first(where: Self.isConfiguration) {
            descriptor = found.handle
            return .proceed
        }
        guard case .finished = step else { return step }
        isMissing = true
        return .finished(.unconfigured)
    }

    private static func isConfiguration(_ item: ATTPDU.AttributeInformation) -> Bool {
        item.type.short == GATTAttributeType.clientCharacteristicConfiguration
    }
}
