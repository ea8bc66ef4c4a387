// SPDX-License-Identifier: Apache-2.0

import ATT
import BluetoothCore

/// Finds and writes a Client Characteristic Configuration descriptor. Core 5.4, Vol 3, Part G, 4.10 and 4.11.
///
/// A server that refuses Find Information, or whose answer is of no use, is asked for the descriptor by its type. If the
/// server does not carry out this search either, the client reads the attribute behind the value: the descriptor is
/// nearly always there, and a characteristic that notifies has one (3.3.3). It is written unless the read shows another attribute. A server that
/// searched and found no descriptor is believed. A lack of security is a failure, so that pairing can begin.
struct Configuration: GATTProcedure {
    private enum Phase {
        case descriptors, byType, reading, writing
        /// The attribute behind the value, which may be another one.
        case guessing
    }

    private var phase: Phase
    private var discovery: DescriptorDiscovery
    /// The search for the descriptor by its type.
    private var walk: DiscoveryWalk
    private let configuration: ClientCharacteristicConfiguration
    /// The descriptor's handle, where it is known.
    private(set) var descriptor: UInt16?
    private let valueHandle: UInt16
    private let endHandle: UInt16
    private let isSearched: Bool
    /// The characteristic has no such descriptor.
    private var isMissing = false

    /// The descriptor is known.
    init(descriptor: UInt16, _ configuration: ClientCharacteristicConfiguration) {
        phase = .writing
        discovery = DescriptorDiscovery(ATTPDU.HandleRange(start: descriptor, end: descriptor))
        walk = DiscoveryWalk(.descriptor)
        self.configuration = configuration
        self.descriptor = descriptor
        (valueHandle, endHandle, isSearched) = (descriptor, descriptor, false)
    }

    /// Nil when nothing can follow the value, and when no search is left.
    ///
    /// - Parameter omitted: Searches left out on this link.
    init?(
        valueHandle: UInt16, endHandle: UInt16, _ configuration: ClientCharacteristicConfiguration,
        without omitted: Set<OwnProcedure> = []
    ) {
        let (isListed, isSearched) = (!omitted.contains(.descriptorSearch), !omitted.contains(.configurationSearch))
        guard valueHandle < endHandle, isListed || isSearched else { return nil }
        phase = isListed ? .descriptors : .byType
        discovery = DescriptorDiscovery(ATTPDU.HandleRange(start: valueHandle + 1, end: endHandle))
        walk = DiscoveryWalk(.descriptor, from: valueHandle + 1, to: endHandle)
        self.configuration = configuration
        (self.valueHandle, self.endHandle, self.isSearched) = (valueHandle, endHandle, isSearched)
    }

    var oddities: GATTOddities {
        var oddities = discovery.oddities
        if isMissing { oddities.record(GATTOddity(.descriptor, .noConfiguration, at: valueHandle)) }
        return oddities
    }

    var ownProcedure: OwnProcedure? {
        switch phase {
        case .descriptors: .descriptorSearch
        case .writing: nil
        case .byType, .reading, .guessing: .configurationSearch
        }
    }

    mutating func next(mtu: Int) -> ATTPDU {
        switch phase {
        case .descriptors: return discovery.next(mtu: mtu)
        case .byType:
            return .readByTypeRequest(
                start: walk.start, end: endHandle,
                type: BluetoothUUID(GATTAttributeType.clientCharacteristicConfiguration))
        case .reading: return .readRequest(handle: walk.start)
        case .writing, .guessing:
            var value: [UInt8] = []
            value.append(u16: configuration.rawValue)
            return .writeRequest(handle: descriptor ?? walk.start, value: value)
        }
    }

    mutating func received(_ response: ATTPDU, mtu: Int) -> GATTStep {
        switch phase {
        case .descriptors: return follow(discovery.received(response, mtu: mtu))
        case .byType:
            guard case .readByTypeResponse(let items) = response, let found = walk.admit(items, \.handle).first else {
                return proceed(as: .reading)
            }
            descriptor = found.handle
            return proceed(as: .writing)
        case .reading:
            guard case .readResponse(let value) = response, Self.isConfiguration(value) else { return lack() }
            return proceed(as: .guessing)
        case .writing, .guessing:
            guard case .writeResponse = response else { return .failed(.malformed) }
            return .finished(.written)
        }
    }

    mutating func refused(_ error: ATTErrorCode) -> GATTStep {
        switch phase {
        case .descriptors: return follow(discovery.refused(error))
        case .byType, .reading, .guessing:
            if error.isOfSecurity { return .failed(.refused(error)) }
            switch (phase, error) {
            case (.byType, .attributeNotFound): return lack()
            case (.byType, _): return proceed(as: .reading)
            // Everybody may read the descriptor, 3.3.3.3: an attribute without that right is another one.
            case (.reading, .readNotPermitted): return lack()
            case (.reading, _): return proceed(as: .guessing)
            default: return lack()
            }
        case .writing: return .failed(.refused(error))
        }
    }

    mutating func receivedMalformed() -> GATTStep {
        switch phase {
        case .descriptors: follow(discovery.receivedMalformed())
        case .byType: proceed(as: .reading)
        case .reading, .guessing: lack()
        case .writing: .failed(.malformed)
        }
    }

    private mutating func proceed(as phase: Phase) -> GATTStep {
        self.phase = phase
        return .proceed
    }

    private mutating func lack() -> GATTStep {
        isMissing = true
        return .finished(.unconfigured)
    }

    private mutating func follow(_ step: GATTStep) -> GATTStep {
        // The discovery has seen to it that the handles are in the range.
        if let found = discovery.found.first(where: Self.isConfiguration) {
            descriptor = found.handle
            return proceed(as: .writing)
        }
        switch step {
        case .proceed: return .proceed
        case .failed(.refused(let error)) where error.isOfSecurity: return step
        case .failed: return isSearched ? proceed(as: .byType) : lack()
        // An odd server may have descriptors that its answers do not show.
        case .finished: return isSearched && !discovery.oddities.isEmpty ? proceed(as: .byType) : lack()
        }
    }

    private static func isConfiguration(_ item: ATTPDU.AttributeInformation) -> Bool {
        item.type.short == GATTAttributeType.clientCharacteristicConfiguration
    }

    /// Two octets, of which two bits have a meaning.
    private static func isConfiguration(_ value: [UInt8]) -> Bool { value.count == 2 && value[0] <= 3 && value[1] == 0 }
}
