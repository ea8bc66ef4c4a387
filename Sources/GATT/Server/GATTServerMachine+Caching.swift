// SPDX-License-Identifier: Apache-2.0

import ATT
import BluetoothCore

/// The server's state for this client, and the announcement of changes. Core 5.4, Vol 3, Part G, 2.5.2.
extension GATTServerMachine {
    /// The state to keep for a bonded client.
    package func clientState(in context: ServerContext) -> ClientState {
        let change = merged(indications.outstanding?.change, client.unconfirmedChange)
        return ClientState(
            configurations: client.configurations, supportedFeatures: client.supportedFeatures,
            isChangeAware: client.isChangeAware, databaseHash: context.database.databaseHash,
            unconfirmedChange: change.map { [$0.start, $0.end] } ?? [])
    }

    /// Takes the kept state of a bonded client, once its identity is known. Values that the client has written on this
    /// link stay. If the database differs from the kept state's, the client gets an announcement.
    package mutating func restore(_ state: ClientState, in context: ServerContext) -> [Effect] {
        var effects: [Effect] = []
        guard !isClosed else { return effects }
        for (handle, value) in state.configurations.sorted(by: { $0.key < $1.key })
        where client.configurations[handle] == nil && value != 0 && value & ~3 == 0 {
            client.configurations[handle] = value
            announce(handle, value, context, &effects)
        }
        client.supportedFeatures |= state.supportedFeatures & ClientRecord.knownFeatures
        let isSame = state.databaseHash == context.database.databaseHash
        if !isSame || !state.isChangeAware { client.isChangeAware = false }
        if isSame {
            if state.unconfirmedChange.count == 2 {
                reportChange(.init(start: state.unconfirmedChange[0], end: state.unconfirmedChange[1]))
            }
        } else {
            // The changes in between are unknown.
            reportChange(.init(start: 1, end: .max))
        }
        stateIsDirty = true
        indicateNext(context, &effects)
        finish(context, &effects)
        return effects
    }

    /// The database has changed; its hash is already the new one.
    package mutating func databaseChanged(_ change: DatabaseChange, in context: ServerContext) -> [Effect] {
        var effects: [Effect] = []
        guard !isClosed else { return effects }
        client.isChangeAware = false
        client.wasToldOutOfSync = false
        client.hasReadHash = false
        stateIsDirty = true
        let touched = client.configurations.filter { change.handles.contains($0.key) }
        for (handle, value) in touched.sorted(by: { $0.key < $1.key }) {
            switch change.kind {
            case .added:
                announce(handle, value, context, &effects)
            case .removed:
                client.configurations[handle] = nil
                dropIndications(of: handle, &effects)
                effects.append(.unsubscribed(valueHandle: handle, owner: change.owner))
            }
        }
        reportChange(change.handles)
        indicateNext(context, &effects)
        if change.kind == .removed, let asked, change.handles.contains(asked.handle) {
            abandon(asked, context, &effects)
        }
        finish(context, &effects)
        return effects
    }

    /// Core 5.4, Vol 3, Part G, 2.5.2.1: the handle for the error to a change-unaware client; nil if the request is
    /// served. The second request after a refusal, or after a read of the hash, makes the client aware.
    mutating func outOfSync(_ pdu: ATTPDU) -> UInt16? {
        if client.hasReadHash || client.wasToldOutOfSync {
            becomeAware()
            return nil
        }
        guard client.isUnaware else { return nil }
        let handle: UInt16
        switch pdu {
        case .readRequest(let named), .readBlobRequest(let named, _), .writeRequest(let named, _),
            .prepareWriteRequest(let named, _, _):
            handle = named
        case .readMultipleRequest(let handles), .readMultipleVariableRequest(let handles):
            handle = handles.first ?? 0
        case .readByTypeRequest(let start, let end, let type):
            let isSearch = type == TableType.include || type == TableType.characteristic
            guard !isSearch, start != 1 || end != .max else { return nil }
            handle = start
        case .executeWriteRequest(commit: true):
            // The client has named the handles before the change. Part F, 3.4.6.3.
            guard let first = prepared.entries.first else { return nil }
            prepared = PreparedQueue()
            handle = first.item.handle
        default:
            return nil
        }
        client.wasToldOutOfSync = true
        return handle
    }

    mutating func becomeAware() {
        client.wasToldOutOfSync = false
        client.hasReadHash = false
        guard !client.isChangeAware else { return }
        client.isChangeAware = true
        stateIsDirty = true
    }

    /// Notes that the client has read the Database Hash.
    mutating func recordRead(_ attribute: Attribute) {
        guard attribute.handle == GATTDatabase.databaseHashHandle, !client.isChangeAware else { return }
        client.hasReadHash = true
    }

    /// Sets a configuration, and says how the client gets the value from now on, if that is another way.
    mutating func configure(
        _ valueHandle: UInt16, owner: ServerOwner, _ value: UInt16, _ context: ServerContext,
        _ effects: inout [Effect]
    ) {
        let old = configuration(of: valueHandle)
        guard old != value else { return }
        client.configurations[valueHandle] = value == 0 ? nil : value
        stateIsDirty = true
        if value & 2 == 0 { dropIndications(of: valueHandle, &effects) }
        if value == 0 {
            effects.append(.unsubscribed(valueHandle: valueHandle, owner: owner))
            if valueHandle == GATTDatabase.serviceChangedHandle { client.unconfirmedChange = nil }
        } else if SubscriptionKind(configuration: old) != SubscriptionKind(configuration: value) {
            announce(valueHandle, value, context, &effects)
        }
    }

    private func announce(
        _ valueHandle: UInt16, _ value: UInt16, _ context: ServerContext, _ effects: inout [Effect]
    ) {
        guard let kind = SubscriptionKind(configuration: value),
            let attribute = context.database[handle: valueHandle], attribute.kind == .value
        else { return }
        effects.append(.subscribed(valueHandle: valueHandle, owner: attribute.owner, kind))
    }

    /// Puts handles into the next Service Changed indication, if the client has subscribed to it.
    private mutating func reportChange(_ range: ATTPDU.HandleRange) {
        guard configuration(of: GATTDatabase.serviceChangedHandle) & 2 != 0 else { return }
        client.unconfirmedChange = merged(client.unconfirmedChange, range)
    }

    private func merged(_ first: ATTPDU.HandleRange?, _ second: ATTPDU.HandleRange?) -> ATTPDU.HandleRange? {
        guard let first, let second else { return first ?? second }
        return .init(start: min(first.start, second.start), end: max(first.end, second.end))
    }
}

extension ClientState {
    /// A service was removed while the client was away: its subscriptions do not hold for a later service at these
    /// handles.
    package mutating func serviceRemoved(_ change: DatabaseChange) {
        configurations = configurations.filter { !change.handles.contains($0.key) }
    }
}

extension SubscriptionKind {
    /// Nil for neither; a notification for both.
    init?(configuration: UInt16) {
        if configuration & 1 != 0 {
            self = .notification
        } else if configuration & 2 != 0 {
            self = .indication
        } else {
            return nil
        }
    }
}

extension ATTPDU.HandleRange {
    func contains(_ handle: UInt16) -> Bool { start <= handle && handle <= end }
}
