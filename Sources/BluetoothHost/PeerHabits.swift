// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import GATT

/// Procedures of our own during which peers' links have ended. With such a peer they are left out, so that its values come.
/// See ``LinkEndHabit``. Bounded.
struct PeerHabits: Sendable {
    /// Peers that are remembered.
    static let peersLimit = 256

    private struct Record {
        var ends = 0
        var lastEnd: MonotonicTime
    }

    private var records: [DeviceAddress: [OwnProcedure: Record]] = [:]

    /// Procedures that are left out on a link with `peer`, in the order of ``OwnProcedure``.
    func omitted(with peer: DeviceAddress, at now: MonotonicTime) -> [OwnProcedure] {
        guard let known = records[peer] else { return [] }
        return OwnProcedure.allCases.filter { procedure in
            known[procedure].map { $0.ends >= LinkEndHabit.limit && now < $0.lastEnd + LinkEndHabit.pause } ?? false
        }
    }

    /// A link with `peer` has ended during `procedures`, and not by us.
    mutating func ended(during procedures: Set<OwnProcedure>, with peer: DeviceAddress, at now: MonotonicTime) {
        guard !procedures.isEmpty else { return }
        if records.count >= Self.peersLimit, records[peer] == nil { records = [:] }
        for procedure in procedures {
            let ends = records[peer]?[procedure]?.ends ?? 0
            records[peer, default: [:]][procedure] = Record(ends: min(ends + 1, LinkEndHabit.limit), lastEnd: now)
        }
    }

    /// A link with `peer` has outlived `procedures`.
    mutating func outlived(_ procedures: Set<OwnProcedure>, with peer: DeviceAddress) {
        guard records[peer] != nil else { return }
        for procedure in procedures { records[peer]?[procedure] = nil }
        if records[peer]?.isEmpty == true { records[peer] = nil }
    }

    /// The peer that was known by `old` has told who it is.
    mutating func rename(_ old: DeviceAddress, to identity: DeviceAddress) {
        guard let former = records.removeValue(forKey: old) else { return }
        records[identity, default: [:]].merge(former) { $1 }
    }
}
