// SPDX-License-Identifier: Apache-2.0

import ATT
import BluetoothCore

/// Read Multiple Characteristic Values. Core 5.4, Vol 3, Part G, 4.8.4.
struct MultipleRead: GATTProcedure {
    let handles: [UInt16]

    mutating func next(mtu: Int) -> ATTPDU { .readMultipleRequest(handles: handles) }

    mutating func received(_ response: ATTPDU, mtu: Int) -> GATTStep {
        guard case .readMultipleResponse(let value) = response else { return .failed(.malformed) }
        return .finished(.value(value))
    }
}

/// Read Multiple Variable Length Characteristic Values. Core 5.4, Vol 3, Part G, 4.8.5.
///
/// A server cuts its answer at the MTU; the client reads the cut values one by one.
struct MultipleVariableRead: GATTProcedure {
    private let handles: [UInt16]
    private var values: [ATTPDU.AttributeValue] = []
    private var single: ValueRead?

    init(handles: [UInt16]) { self.handles = handles }

    mutating func next(mtu: Int) -> ATTPDU {
        single?.next(mtu: mtu) ?? .readMultipleVariableRequest(handles: handles)
    }

    mutating func received(_ response: ATTPDU, mtu: Int) -> GATTStep {
        if let step = single?.received(response, mtu: mtu) { return follow(step) }
        guard case .readMultipleVariableResponse(let list, let isCut) = response, list.count <= handles.count else {
            return .failed(.malformed)
        }
        values = zip(handles, list).map { ATTPDU.AttributeValue(handle: $0, value: $1) }
        let isFull = list.reduce(1) { $0 + 2 + $1.count } >= mtu
        // The last value of a full answer may have been longer.
        if isFull { values.removeLast() }
        // An answer that has room left has no reason to cut anything.
        guard isFull || values.count == handles.count && !isCut else { return .failed(.malformed) }
        return readOn()
    }

    mutating func refused(_ error: ATTErrorCode) -> GATTStep {
        guard let step = single?.refused(error) else { return .failed(.refused(error)) }
        return follow(step)
    }

    private mutating func follow(_ step: GATTStep) -> GATTStep {
        guard case .finished(.value(let value)) = step else { return step }
        values.append(ATTPDU.AttributeValue(handle: handles[values.count], value: value))
        return readOn()
    }

    private mutating func readOn() -> GATTStep {
        guard values.count < handles.count else { return .finished(.values(values)) }
        single = ValueRead(handle: handles[values.count])
        return .proceed
    }
}

/// Read Using Characteristic UUID, over a whole range. Core 5.4, Vol 3, Part G, 4.8.2. A short UUID that is not found is
/// looked for in 128 bits, too.
struct RangeRead: GATTProcedure {
    private let type: BluetoothUUID
    private let end: UInt16
    private var start: UInt16
    private var values: [ATTPDU.AttributeValue] = []
    private var isLong = false

    /// Nil when the range is empty.
    init?(type: BluetoothUUID, in handles: ATTPDU.HandleRange) {
        guard handles.start > 0, handles.start <= handles.end else { return nil }
        (self.type, start, end) = (type, handles.start, handles.end)
    }

    mutating func next(mtu: Int) -> ATTPDU {
        isLong
            ? .readByTypeRequest(start: start, end: end, longType: type)
            : .readByTypeRequest(start: start, end: end, type: type)
    }

    mutating func received(_ response: ATTPDU, mtu: Int) -> GATTStep {
        guard case .readByTypeResponse(let items) = response else { return .failed(.malformed) }
        for item in items {
            guard item.handle >= start, item.handle <= end, values.count < GATTLimit.attributes else {
                return .failed(.malformed)
            }
            values.append(item)
            guard item.handle < end else { return .finished(.values(values)) }
            start = item.handle + 1
        }
        return .proceed
    }

    mutating func refused(_ error: ATTErrorCode) -> GATTStep {
        guard error == .attributeNotFound else { return .failed(.refused(error)) }
        guard values.isEmpty else { return .finished(.values(values)) }
        guard !isLong, type.short != nil else { return .failed(.refused(error)) }
        isLong = true
        return .proceed
    }
}
