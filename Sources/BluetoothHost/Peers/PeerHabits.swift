// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import GATT

/// Procedures of our own during which links to peers have ended. With such a peer, the procedures are left out, for the
/// sake of its values. See ``LinkEndHabit``. Bounded.
///
/// Several procedures may be under way when a link ends, and at least one of them is the cause. The host leaves out the
/// most suspect ones first. It tries the others on the next link, and clears them if that link outlives them.
struct PeerHabits: Sendable {
    /// Limit of remembered peers.
    static let peersLimit = 256

    private struct Record {
        var ends = 0
        var lastEnd: MonotonicTime
        /// At the last end, a more suspect procedure was under way.
        var isLesser = false
        /// Procedures that were under way at every end of this procedure's record; empty if some end had no other
        /// procedure.
        var company: Set<OwnProcedure>

        /// A lesser suspect needs a further end: it is tried once more without the more suspect procedures.
        func isLeftOut(at now: MonotonicTime) -> Bool {
            ends >= LinkEndHabit.limit + (isLesser ? 1 : 0) && now < lastEnd + LinkEndHabit.pause
        }
    }

    private var records: [DeviceAddress: [OwnProcedure: Record]] = [:]

    /// Procedures to leave out on a link with `peer`, in the order of ``OwnProcedure``.
    func omitted(with peer: DeviceAddress, at now: MonotonicTime) -> [OwnProcedure] {
        guard let known = records[peer] else { return [] }
        return OwnProcedure.allCases.filter { known[$0]?.isLeftOut(at: now) ?? false }
    }

    /// A link with `peer` has ended during `procedures`, the most suspect ones first.
    mutating func ended(during procedures: [Set<OwnProcedure>], with peer: DeviceAddress, at now: MonotonicTime) {
        let ranks = procedures.filter { !$0.isEmpty }
        let all = ranks.reduce(into: Set()) { $0.formUnion($1) }
        guard !all.isEmpty else { return }
        if records.count >= Self.peersLimit, records[peer] == nil { records = [:] }
        for (rank, procedures) in ranks.enumerated() {
            for procedure in procedures {
                let others = all.subtracting([procedure])
                let old = records[peer]?[procedure]
                records[peer, default: [:]][procedure] = Record(
                    ends: min((old?.ends ?? 0) + 1, LinkEndHabit.limit + 1), lastEnd: now, isLesser: rank > 0,
                    company: old?.company.intersection(others) ?? others)
            }
        }
        // A procedure that ends links alone also explains the ends at which other procedures were under way.
        guard all.count == 1, let guilty = all.first, records[peer]?[guilty]?.isLeftOut(at: now) == true else { return }
        for (procedure, record) in records[peer] ?? [:] where record.company.contains(guilty) {
            records[peer]?[procedure] = nil
        }
    }

    /// A link with `peer` has outlived `procedures`.
    mutating func outlived(_ procedures: Set<OwnProcedure>, with peer: DeviceAddress) {
        guard records[peer] != nil else { return }
        for procedure in procedures { records[peer]?[procedure] = nil }
        if records[peer]?.isEmpty == true { records[peer] = nil }
    }

    /// The peer known by `old` has revealed its identity.
    mutating func rename(_ old: DeviceAddress, to identity: DeviceAddress) {
        guard let former = records.removeValue(forKey: old) else { return }
        records[identity, default: [:]].merge(former) { $1 }
    }
}
