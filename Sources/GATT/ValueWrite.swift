// SPDX-License-Identifier: Apache-2.0

import ATT
import BluetoothCore

/// Write Characteristic Value, Write Long Characteristic Values, Reliable Writes and the same procedures for
/// descriptors. Core 5.4, Vol 3, Part G, 4.9.3 to 4.9.5, 4.12.3 and 4.12.4.
///
/// The client compares the server's prepared octets with the sent ones, also in long writes, although only reliable
/// writes demand the comparison.
struct ValueWrite: GATTProcedure {
    private let items: [ATTPDU.AttributeValue]
    private let isReliable: Bool
    /// The index of the item in preparation.
    private var index = 0
    /// Octets of the item that the server has prepared.
    private var prepared = 0
    /// Octets of the item in flight.
    private var pending = 0
    private var hasPrepared = false
    private var failure: GATTError?
    private var executing = false

    init(handle: UInt16, value: [UInt8]) {
        items = [ATTPDU.AttributeValue(handle: handle, value: value)]
        isReliable = false
    }

    /// Nil when there is nothing to write.
    init?(reliably items: [ATTPDU.AttributeValue]) {
        guard !items.isEmpty else { return nil }
        self.items = items
        isReliable = true
    }

    mutating func next(mtu: Int) -> ATTPDU {
        if failure != nil {
            executing = true
            return .executeWriteRequest(commit: false)
        }
        guard index < items.count else {
            executing = true
            return .executeWriteRequest(commit: true)
        }
        let item = items[index]
        // A value that was begun in parts is written in parts, though the MTU may have grown since.
        guard isReliable || hasPrepared || item.value.count > mtu - 3 else {
            return .writeRequest(handle: item.handle, value: item.value)
        }
        pending = min(mtu - 5, item.value.count - prepared)
        return .prepareWriteRequest(
            handle: item.handle, offset: UInt16(truncatingIfNeeded: prepared),
            value: Array(item.value[prepared..<(prepared + pending)]))
    }

    mutating func received(_ response: ATTPDU, mtu: Int) -> GATTStep {
        switch response {
        case .writeResponse: return .finished(.written)
        case .executeWriteResponse: return failure.map { .failed($0) } ?? .finished(.written)
        case .prepareWriteResponse(let handle, let offset, let echo):
            guard index < items.count, handle == items[index].handle, Int(offset) == prepared,
                echo[...] == items[index].value[prepared..<(prepared + pending)]
            else { return cancel(.malformed) }
            hasPrepared = true
            prepared += pending
            if prepared == items[index].value.count { (index, prepared) = (index + 1, 0) }
            return .proceed
        default: return .failed(.malformed)
        }
    }

    mutating func refused(_ error: ATTErrorCode) -> GATTStep {
        hasPrepared && !executing ? cancel(.refused(error)) : .failed(failure ?? .refused(error))
    }

    mutating func receivedMalformed() -> GATTStep {
        // A later write must not execute the octets that the server has prepared for this one.
        pending > 0 && !executing ? cancel(.malformed) : .failed(failure ?? .malformed)
    }

    private mutating func cancel(_ error: GATTError) -> GATTStep {
        failure = error
        return .proceed
    }
}
