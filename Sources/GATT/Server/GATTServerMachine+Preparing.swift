// SPDX-License-Identifier: Apache-2.0

import ATT
import BluetoothCore

/// Core 5.4, Vol 3, Part F, 3.4.6: handles and permissions count when a write is prepared, offsets and lengths when
/// it is executed.
extension GATTServerMachine {
    mutating func prepareWrite(
        _ handle: UInt16, _ offset: UInt16, _ value: [UInt8], _ context: ServerContext, _ effects: inout [Effect]
    ) {
        guard let attribute = context.database[handle: handle] else {
            return refuse(.prepareWriteRequest, .invalidHandle, handle, &effects)
        }
        if let error = refusal(ofWriting: attribute, .write, context) {
            return refuse(.prepareWriteRequest, error, handle, &effects)
        }
        // The echo would not fit: the client has sent more than ATT_MTU.
        guard value.count <= mtu - 5 else { return refuse(.prepareWriteRequest, .invalidPDU, 0, &effects) }
        guard prepared.entries.count < limits.preparedWrites,
            prepared.octets + value.count <= limits.preparedOctets
        else { return refuse(.prepareWriteRequest, .prepareQueueFull, handle, &effects) }
        prepared.append(
            WriteItem(handle: handle, offset: Int(offset), value: value), generation: attribute.generation)
        send(.prepareWriteResponse(handle: handle, offset: offset, value: value), &effects)
    }

    /// All or none: the machine checks all parts before it asks the first owner, and one owner's refusal ends the
    /// write. Owners are asked one after the other, each for all of its parts at once.
    mutating func executeWrite(
        commit: Bool, _ arrival: MonotonicTime, _ context: ServerContext, _ effects: inout [Effect]
    ) {
        let entries = prepared.entries
        prepared = PreparedQueue()
        guard commit else { return send(.executeWriteResponse, &effects) }
        var plan = WritePlan()
        for (item, generation) in entries {
            // The service may have gone, or another may have come to its handles.
            guard let attribute = context.database[handle: item.handle], attribute.generation == generation else {
                return refuse(.executeWriteRequest, .databaseOutOfSync, item.handle, &effects)
            }
            let error =
                refusal(ofWriting: attribute, .write, context)
                ?? plan.add(item, attribute, current: knownValue(of: attribute))
            if let error { return refuse(.executeWriteRequest, error, item.handle, &effects) }
        }
        for item in plan.own {
            guard let attribute = context.database[handle: item.handle] else { continue }
            if let error = refusal(ofKeeping: item.value, attribute, context) {
                return refuse(.executeWriteRequest, error, item.handle, &effects)
            }
        }
        proceed(PreparedExecution(remaining: plan.owners[...], own: plan.own), arrival, context, &effects)
    }

    /// Asks the next owner, or ends.
    mutating func proceed(
        _ execution: PreparedExecution, _ arrival: MonotonicTime, _ context: ServerContext,
        _ effects: inout [Effect]
    ) {
        var execution = execution
        if let (owner, items) = execution.remaining.popFirst() {
            // The attribute may have been removed while another owner was asked.
            if let gone = items.first(where: { context.database[handle: $0.handle]?.owner != owner }) {
                return refuse(.executeWriteRequest, .databaseOutOfSync, gone.handle, &effects)
            }
            // The link may be less secure since the parts were checked.
            for item in items {
                guard let attribute = context.database[handle: item.handle],
                    let error = refusal(ofWriting: attribute, .write, context)
                else { continue }
                return refuse(.executeWriteRequest, error, item.handle, &effects)
            }
            let id = ask(owner, items.first?.handle ?? 0, .execute(execution), arrival)
            return effects.append(.write(.init(id: id, owner: owner, items: items)))
        }
        send(.executeWriteResponse, &effects)
        for item in execution.own {
            guard let attribute = context.database[handle: item.handle],
                refusal(ofKeeping: item.value, attribute, context) == nil
            else { continue }
            keep(item.value, attribute, context, &effects)
        }
    }
}

/// Sorts prepared parts by who takes them, and checks offsets and lengths on the way.
private struct WritePlan {
    private(set) var owners: [(owner: ServerOwner, items: [WriteItem])] = []
    /// By handle: how long the value is after the parts so far; missing while only its owner knows.
    private var lengths: [UInt16: Int] = [:]
    private var buffers: [(handle: UInt16, value: [UInt8])] = []

    var own: [WriteItem] { buffers.map { WriteItem(handle: $0.handle, offset: 0, value: $0.value) } }

    /// `current`: what the attribute holds now; nil where only its owner knows.
    mutating func add(_ item: WriteItem, _ attribute: Attribute, current: [UInt8]?) -> ATTErrorCode? {
        let end = item.offset + item.value.count
        guard item.offset <= lengths[item.handle] ?? current?.count ?? attribute.maximumLength else {
            return .invalidOffset
        }
        guard end <= attribute.maximumLength else { return .invalidAttributeValueLength }
        if let length = lengths[item.handle] ?? current?.count {
            lengths[item.handle] = max(length, end)
        } else if item.offset == 0 {
            // A new value has no gaps.
            lengths[item.handle] = end
        }
        if attribute.isKeptForClient {
            overlay(item, current ?? [])
        } else if let index = owners.firstIndex(where: { $0.owner == attribute.owner }) {
            owners[index].items.append(item)
        } else {
            owners.append((attribute.owner, [item]))
        }
        return nil
    }

    private mutating func overlay(_ item: WriteItem, _ current: [UInt8]) {
        let index: Int
        if let found = buffers.firstIndex(where: { $0.handle == item.handle }) {
            index = found
        } else {
            index = buffers.count
            buffers.append((item.handle, current))
        }
        let old = buffers[index].value
        buffers[index].value =
            Array(old.prefix(item.offset)) + item.value + old.dropFirst(item.offset + item.value.count)
    }
}
