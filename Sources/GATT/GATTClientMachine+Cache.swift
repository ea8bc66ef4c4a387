// SPDX-License-Identifier: Apache-2.0

import ATT
import BluetoothCore

/// The knowledge of the server, and the events that make it void. Core 5.4, Vol 3, Part G, 2.5.2.
extension GATTClientMachine {
    /// Starts with the cache of an earlier link, or nil.
    package mutating func start(
        with cache: GATTClientCache?, isBonded: Bool, without omitted: Set<OwnProcedure> = [], at now: MonotonicTime
    ) -> [Effect] {
        self.cache = GATTLinkCache(cache, isBonded: isBonded)
        return start(without: omitted, at: now)
    }

    /// The handle of Service Changed while its indications are on.
    package var serviceChangedHandle: UInt16? { cache.serviceChangedHandle }

    /// The cache to keep from now on; nil without a change.
    package mutating func takeCacheChange() -> GATTCacheChange? { cache.takeChange() }

    /// The server has told that services between these handles were added, removed or changed.
    package mutating func servicesChanged(_ handles: ATTPDU.HandleRange) -> [Effect] {
        cache.changed(handles)
        return [.servicesChanged(handles)]
    }

    /// Makes all knowledge of the server void.
    package mutating func invalidateCache() -> [Effect] {
        cache.discard()
        return [.servicesChanged(Self.allHandles)]
    }

    static let hashRequest = ATTPDU.readByTypeRequest(
        start: 1, end: 0xFFFF, type: BluetoothUUID(GATTAttributeType.databaseHash))
    private static let allHandles = ATTPDU.HandleRange(start: 1, end: 0xFFFF)

    mutating func confirm(
        _ result: Result<ATTPDU, ATTClientMachine.Failure>, changesBefore: Int
    ) -> [Effect] {
        var hash: [UInt8]?
        if case .success(.readByTypeResponse(let items)) = result, let value = items.first?.value, value.count == 16 {
            hash = value
        }
        guard cache.confirm(hash: hash, changesBefore: changesBefore) else { return [] }
        return takeBack(.databaseOutOfSync)
    }

    /// Tells clients that all handles are void, and fails the waiting requests with handles.
    private mutating func takeBack(_ error: ATTErrorCode) -> [Effect] {
        let lost = waiting.filter(\.request.namesHandles)
        waiting.removeAll(where: \.request.namesHandles)
        return [.servicesChanged(Self.allHandles)] + lost.map { .completed($0.id, .failure(.refused(error))) }
    }

    /// The effects of a refusal because of an unannounced change of the database; nil: the procedure decides.
    mutating func takeDoubt(_ error: ATTErrorCode, of running: Running) -> [Effect]? {
        guard error == .databaseOutOfSync, cache.phase != .off else { return nil }
        cache.doubt()
        // The hash is read next. If the hash is unchanged, the handles are right and the request may go out again.
        guard running.entry.request.isRepeatable, !running.entry.isRetry else { return nil }
        current = nil
        waiting.insert(Entry(id: running.entry.id, request: running.entry.request, isRetry: true), at: 0)
        return []
    }

    /// Keeps the response's items; returns the response for the client.
    mutating func record(_ response: GATTResponse, of running: Running) -> GATTResponse {
        // Nothing is kept of a server with oddities: it may say something else on the next link.
        guard running.procedure.oddities.isEmpty else { return response }
        let (request, changesBefore) = (running.entry.request, running.changesBefore)
        if let watch = running.procedure as? ServiceWatch {
            cache.record(watch: watch.found, changesBefore: changesBefore)
            return response
        }
        guard case .discoverCharacteristics(let handles, .some) = request,
            let discovery = running.procedure as? CharacteristicDiscovery
        else {
            let configuration = (running.procedure as? Configuration)?.descriptor
            cache.record(response, to: request, configuration: configuration, changesBefore: changesBefore)
            return response
        }
        // The discovery has read the whole service.
        cache.record(
            .characteristics(discovery.all), to: .discoverCharacteristics(handles, nil), configuration: nil,
            changesBefore: changesBefore)
        return response
    }

    /// The server lacks a handle of an earlier link: it has changed without an announcement.
    mutating func recordFailure(_ error: GATTError) -> [Effect] {
        guard error == .refused(.invalidHandle), cache.isRestored, cache.phase == .current else { return [] }
        cache.discard()
        return takeBack(.invalidHandle)
    }
}
