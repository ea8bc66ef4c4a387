// SPDX-License-Identifier: Apache-2.0

import ATT
import BluetoothCore

/// Notifications and indications. Core 5.4, Vol 3, Part F, 3.4.7.
extension GATTServerMachine {
    /// The client's Client Characteristic Configuration: 0 if the client has written none.
    package func configuration(of valueHandle: UInt16) -> UInt16 { client.configurations[valueHandle] ?? 0 }

    /// Longest value that a notification or an indication carries whole, in octets.
    package var maximumUpdateLength: Int { mtu - 3 }

    /// Sends a value to the client, cut to the MTU, if the client has subscribed. Nil sends by the client's choice, and
    /// by notification if the client has chosen both.
    package mutating func notify(
        _ value: [UInt8], of handle: UInt16, as kind: SubscriptionKind? = nil, in context: ServerContext
    ) -> (outcome: UpdateOutcome, effects: [Effect]) {
        let chosen: SubscriptionKind
        switch admission(handle, kind, context) {
        case .failure(let error): return (error.outcome, [])
        case .success(let kind): chosen = kind
        }
        let owner = context.database[handle: handle]?.owner ?? .host
        switch chosen {
        case .notification:
            return (.sent, [.send(update(.notification, handle, value))])
        case .indication:
            var effects: [Effect] = []
            guard indications.outstanding != nil else {
                indicate(.init(handle: handle, owner: owner, value: value), change: nil, context, &effects)
                return (.sent, effects)
            }
            guard indications.waiting.count < limits.waitingIndications else { return (.queueFull, []) }
            indications.waiting.append(.init(handle: handle, owner: owner, value: value))
            return (.queued, [])
        }
    }

    /// Sends several values at once: in Multiple Handle Value Notifications if the client knows them, else each alone.
    /// Returns one outcome for each value.
    package mutating func notify(
        multiple values: [(handle: UInt16, value: [UInt8])], in context: ServerContext
    ) -> (outcomes: [UpdateOutcome], effects: [Effect]) {
        var outcomes: [UpdateOutcome] = []
        var effects: [Effect] = []
        var batch: [ATTPDU.AttributeValue] = []
        var room = mtu - 1
        for (handle, value) in values {
            let fits = client.supportedFeatures & ClientRecord.multipleNotifications != 0 && 4 + value.count <= mtu - 1
            if fits, case .success(.notification) = admission(handle, nil, context) {
                if 4 + value.count > room { flush(&batch, &room, &effects) }
                batch.append(.init(handle: handle, value: value))
                room -= 4 + value.count
                outcomes.append(.sent)
            } else {
                // Values keep their order.
                flush(&batch, &room, &effects)
                let (outcome, more) = notify(value, of: handle, in: context)
                outcomes.append(outcome)
                effects += more
            }
        }
        flush(&batch, &room, &effects)
        return (outcomes, effects)
    }

    private mutating func flush(
        _ batch: inout [ATTPDU.AttributeValue], _ room: inout Int, _ effects: inout [Effect]
    ) {
        // One value alone has a PDU of its own; Core 5.4, Vol 3, Part F, 3.4.7.4 wants two or more.
        if batch.count > 1 {
            send(.multipleHandleValueNotification(batch), &effects)
        } else if let only = batch.first {
            effects.append(.send(update(.notification, only.handle, only.value)))
        }
        batch = []
        room = mtu - 1
    }

    // MARK: Indications

    mutating func confirmed(_ octets: ArraySlice<UInt8>, in context: ServerContext, _ effects: inout [Effect]) {
        guard octets.count == 1, let outstanding = indications.outstanding else {
            counters.unexpectedConfirmations += 1
            return
        }
        indications.outstanding = nil
        if outstanding.change != nil {
            stateIsDirty = true
            if client.unconfirmedChange == nil { becomeAware() }
        }
        effects.append(.confirmed(valueHandle: outstanding.handle, owner: outstanding.owner))
        indicateNext(context, &effects)
    }

    /// Service Changed goes before the waiting indications.
    mutating func indicateNext(_ context: ServerContext, _ effects: inout [Effect]) {
        guard !isClosed else { return }
        if indications.outstanding == nil, let change = client.unconfirmedChange {
            client.unconfirmedChange = nil
            var value: [UInt8] = []
            value.append(u16: change.start)
            value.append(u16: change.end)
            indicate(
                .init(handle: GATTDatabase.serviceChangedHandle, owner: .host, value: value), change: change, context,
                &effects)
        }
        while indications.outstanding == nil, !indications.waiting.isEmpty {
            let next = indications.waiting.removeFirst()
            // The link may be less secure, or the client out of step, since this one began to wait.
            guard case .success = admission(next.handle, .indication, context) else {
                effects.append(.indicationDropped(valueHandle: next.handle, owner: next.owner))
                continue
            }
            indicate(next, change: nil, context, &effects)
        }
    }

    /// Drops the waiting indications of a value without a subscription, or of a removed value.
    mutating func dropIndications(of handle: UInt16, _ effects: inout [Effect]) {
        for dropped in indications.waiting where dropped.handle == handle {
            effects.append(.indicationDropped(valueHandle: handle, owner: dropped.owner))
        }
        indications.waiting.removeAll { $0.handle == handle }
    }

    private mutating func indicate(
        _ indication: IndicationQueue.Waiting, change: ATTPDU.HandleRange?, _ context: ServerContext,
        _ effects: inout [Effect]
    ) {
        indications.outstanding = .init(
            handle: indication.handle, owner: indication.owner, deadline: context.now + Self.confirmationTimeout,
            change: change)
        effects.append(.send(update(.indication, indication.handle, indication.value)))
    }

    private func update(_ opcode: ATTOpcode, _ handle: UInt16, _ value: [UInt8]) -> [UInt8] {
        var octets: [UInt8] = []
        octets.reserveCapacity(3 + min(value.count, maximumUpdateLength))
        octets.append(opcode.rawValue)
        octets.append(u16: handle)
        octets.append(contentsOf: value.prefix(maximumUpdateLength))
        return octets
    }

    private struct Inadmissible: Error {
        let outcome: UpdateOutcome
    }

    private func admission(
        _ handle: UInt16, _ kind: SubscriptionKind?, _ context: ServerContext
    ) -> Result<SubscriptionKind, Inadmissible> {
        func deny(_ outcome: UpdateOutcome) -> Result<SubscriptionKind, Inadmissible> {
            .failure(Inadmissible(outcome: outcome))
        }
        guard !isClosed else { return deny(.closed) }
        guard let attribute = context.database[handle: handle], attribute.kind == .value else {
            return deny(.noAttribute)
        }
        let offered = UInt16(attribute.properties.rawValue >> 4 & 3)
        let bits = configuration(of: handle) & offered
        let chosen: SubscriptionKind
        switch kind {
        case .notification?: chosen = .notification
        case .indication?: chosen = .indication
        case nil: chosen = bits & 1 != 0 ? .notification : .indication
        }
        guard bits & (chosen == .notification ? 1 : 2) != 0 else { return deny(.notSubscribed) }
        guard attribute.notify.isAllowed, attribute.notify.refusal(of: context.security) == nil else {
            return deny(.notPermitted)
        }
        guard !client.isUnaware else { return deny(.changeUnaware) }
        return .success(chosen)
    }
}
