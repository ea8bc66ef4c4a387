// SPDX-License-Identifier: Apache-2.0

import ATT
import BluetoothCore

/// Read Characteristic Value and Read Long Characteristic Value. Core 5.4, Vol 3, Part G, 4.8.1 and 4.8.3.
struct ValueRead: GATTProcedure {
    private let handle: UInt16
    private var value: [UInt8] = []
    private var isLong = false
    /// A second part of the value has come.
    private var hasMore = false

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
        case .readBlobResponse(let octets): (part, hasMore) = (octets, true)
        default: return .failed(.malformed)
        }
        // Some servers send more than the MTU allows. The client asks for the surplus octets again.
        value.append(contentsOf: part.prefix(mtu - 1))
        guard value.count <= GATTLimit.valueLength else { return .failed(.malformed) }
        // After a full PDU there may be more.
        guard part.count >= mtu - 1, value.count < GATTLimit.valueLength else { return .finished(.value(value)) }
        isLong = true
        return .proceed
    }

    mutating func refused(_ error: ATTErrorCode) -> GATTStep {
        // The value was exactly as long as one PDU: servers give these errors to a read behind the end, and servers
        // without Read Blob give them to all Read Blobs. After a later part these errors may be a passing fault.
        if isLong, (hasMore ? Self.ends : Self.endings).contains(error) { return .finished(.value(value)) }
        return .failed(.refused(error))
    }
}

extension ValueRead {
    /// Core 5.4, Vol 3, Part F, 3.4.4.5.
    private static let ends: Set<ATTErrorCode> = [.attributeNotLong, .invalidOffset]
    private static let endings: Set<ATTErrorCode> = [
        .attributeNotLong, .invalidOffset, .requestNotSupported, .invalidPDU, .attributeNotFound, .unlikelyError,
    ]
}

/// Read Using Characteristic UUID; one PDU of values is enough. Core 5.4, Vol 3, Part G, 4.8.2. If a short UUID is not
/// found, the client searches its 128 bits, too.
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
