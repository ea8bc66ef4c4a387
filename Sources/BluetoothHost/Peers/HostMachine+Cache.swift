// SPDX-License-Identifier: Apache-2.0

import ATT
import BluetoothCore
import GATT
import L2CAP

/// Facts about servers that are kept from link to link, by identity address. Core 5.4, Vol 3, Part G, 2.5.2.
extension HostMachine {
    /// Takes a cache of an earlier run, before the connection to the peer. The host's own findings in this run are
    /// newer, and win.
    package mutating func provide(cache: GATTClientCache, for peer: DeviceAddress) {
        peers.provide(cache, for: peer)
    }

    package var hasCacheChanges: Bool { peers.hasCacheChanges }

    /// Changes since the last call, to keep for a later run.
    package mutating func takeCacheChanges() -> [DeviceAddress: GATTCacheChange] { peers.takeCacheChanges() }

    /// Drops all that is known of the peer's services. Clients on a present link hear that all services have changed,
    /// and discover the services anew.
    package mutating func invalidateCache(of peer: DeviceAddress, at now: MonotonicTime) {
        peers.record(.forget, of: peer)
        for (handle, link) in links where link.identity == peer {
            let effects = links[handle]?.gatt.invalidateCache() ?? []
            perform(effects, on: handle, at: now)
        }
        pump(at: now)
    }

    /// Notes the link's discoveries since the last call.
    mutating func collectCache(of handle: UInt16) {
        guard let change = links[handle]?.gatt.takeCacheChange(), let peer = links[handle]?.identity else { return }
        peers.record(change, of: peer)
    }

    /// A Service Changed indication. `value`: the first and the last changed handle. Core 5.4, Vol 3, Part G, 7.1.
    mutating func receivedServiceChanged(_ value: RawSpan, on handle: UInt16, at now: MonotonicTime) {
        counters.indications += 1
        var range = ATTPDU.HandleRange(start: 1, end: 0xFFFF)
        if value.byteCount >= 4, value.u16(at: 0) > 0, value.u16(at: 0) <= value.u16(at: 2) {
            range = ATTPDU.HandleRange(start: value.u16(at: 0), end: value.u16(at: 2))
        } else {
            // Something has changed, but the range cannot be read.
            counters.unexpectedPDUs += 1
        }
        let effects = links[handle]?.gatt.servicesChanged(range) ?? []
        perform(effects, on: handle, at: now)
        // After the confirmation, the server takes us for informed. The old cache has been dropped by now.
        send(ATTPDU.confirmation.encoded, on: .attributeProtocol, to: handle)
        pump(at: now)
    }

    mutating func recordServicesChanged(_ range: ATTPDU.HandleRange, on handle: UInt16) {
        guard let link = links[handle] else { return }
        if range == ATTPDU.HandleRange(start: 1, end: 0xFFFF) {
            links[handle]?.discovery.forget()
        }
        // A configuration that moved away is off again.
        if range.start <= range.end { links[handle]?.subscriptions.forget(range.start...range.end) }
        events.append(.servicesChanged(link.id, start: range.start, end: range.end), for: link.clients)
    }
}
