// SPDX-License-Identifier: Apache-2.0

import ATT
import BluetoothCore
import GATT
import L2CAP

/// What is kept of servers from link to link, by identity address. Core 5.4, Vol 3, Part G, 2.5.2.
extension HostMachine {
    /// Takes what an earlier run has kept, before the peer is connected to. What this run has found out itself is newer.
    package mutating func provide(cache: GATTClientCache, for peer: DeviceAddress) {
        peers.provide(cache, for: peer)
    }

    package var hasCacheChanges: Bool { peers.hasCacheChanges }

    /// What is to be kept for a later run, since the last call.
    package mutating func takeCacheChanges() -> [DeviceAddress: GATTCacheChange] { peers.takeCacheChanges() }

    /// Believes nothing any more that is known of the peer. Clients of a link that is there hear that all services have
    /// changed, and discover them anew.
    package mutating func invalidateCache(of peer: DeviceAddress, at now: MonotonicTime) {
        peers.note(.forget, of: peer)
        for (handle, link) in links where link.identity == peer {
            let effects = links[handle]?.gatt.invalidateCache() ?? []
            perform(effects, on: handle, at: now)
        }
        pump(at: now)
    }

    /// Notes what the link has found out since the last call.
    mutating func collectCache(of handle: UInt16) {
        guard let change = links[handle]?.gatt.takeCacheChange(), let peer = links[handle]?.identity else { return }
        peers.note(change, of: peer)
    }

    /// A Service Changed indication: the first and the last handle of what changed. Core 5.4, Vol 3, Part G, 7.1.
    mutating func receivedServiceChanged(_ value: RawSpan, on handle: UInt16, at now: MonotonicTime) {
        counters.indications += 1
        var range = ATTPDU.HandleRange(start: 1, end: 0xFFFF)
        if value.byteCount >= 4, value.u16(at: 0) > 0, value.u16(at: 0) <= value.u16(at: 2) {
            range = ATTPDU.HandleRange(start: value.u16(at: 0), end: value.u16(at: 2))
        } else {
            // Something changed; what it was cannot be read.
            counters.unexpectedPDUs += 1
        }
        let effects = links[handle]?.gatt.servicesChanged(range) ?? []
        perform(effects, on: handle, at: now)
        // The confirmation makes the server take us for informed: what is known is dropped by now.
        send(ATTPDU.confirmation.encoded, on: .attributeProtocol, to: handle)
        pump(at: now)
    }

    mutating func noteServicesChanged(_ range: ATTPDU.HandleRange, on handle: UInt16) {
        guard let link = links[handle] else { return }
        if range == ATTPDU.HandleRange(start: 1, end: 0xFFFF) {
            links[handle]?.discovery.forget()
        }
        // A configuration that moved away is off again.
        if range.start <= range.end { links[handle]?.subscriptions.forget(range.start...range.end) }
        events.append(.servicesChanged(link.id, start: range.start, end: range.end), for: link.clients)
    }
}
