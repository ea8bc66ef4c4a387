// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import GATT

/// Procedures of our own during which links to peers have ended. With such a peer, the procedures are left out, for the
/// sake of its values. See ``LinkEndHabit``. Bounded: a peer's record takes the same memory from its first end on.
///
/// Several procedures may be under way when a link ends, and one of them is the cause. The host leaves out one procedure
/// at a time: the procedure of the most ends. The next link tries the others. A link that outlives the other procedures
/// clears them. After another end, another procedure explains more ends, and takes the place of the first. After
/// ``trialLimit`` ends without success, there may be several causes: the host leaves out all procedures in question.
struct PeerHabits: Sendable {
    /// Limit of remembered peers. The peer whose last end is the oldest gives way.
    static let peersLimit = 256
    /// Limit of a peer's different ends of links. The oldest end gives way.
    static let endsLimit = 12
    /// Limit of ended links during the search for one cause among several procedures.
    static let trialLimit = 8

    /// Ends of links during the same procedures.
    private struct Ends {
        var procedures: RankedProcedures
        /// At most ``trialLimit``; 0 for a free place.
        var count: Int
        var last: MonotonicTime

        static let free = Ends(procedures: RankedProcedures([]), count: 0, last: .zero)
    }

    /// Each list has ``endsLimit`` places, the free ones first, the others in the order of their last ends.
    private var records: [DeviceAddress: [Ends]] = [:]

    /// Procedures to leave out on a link with `peer`, in the order of ``OwnProcedure``.
    func omitted(with peer: DeviceAddress, at now: MonotonicTime) -> [OwnProcedure] {
        guard let ends = records[peer] else { return [] }
        let guilty = Self.guilty(of: ends)
        return OwnProcedure.allCases.filter { procedure in
            guard guilty.contains(procedure), let latest = ends.last(where: { $0.procedures.contains(procedure) })
            else { return false }
            return now < latest.last + LinkEndHabit.pause
        }
    }

    /// Whether links with any peer go without `procedure` now.
    func omits(_ procedure: OwnProcedure, at now: MonotonicTime) -> Bool {
        records.contains { peer, ends in
            Self.isSuspect(procedure, in: ends) && omitted(with: peer, at: now).contains(procedure)
        }
    }

    /// A link with `peer` has ended during `procedures`, the most suspect ones first.
    mutating func ended(during procedures: [Set<OwnProcedure>], with peer: DeviceAddress, at now: MonotonicTime) {
        let ranked = RankedProcedures(procedures)
        guard !ranked.isEmpty else { return }
        if records.count >= Self.peersLimit, records[peer] == nil { forgetOldest() }
        records[peer] = Self.joined((records[peer] ?? []) + [Ends(procedures: ranked, count: 1, last: now)])
    }

    /// A link with `peer` has outlived `procedures`.
    mutating func outlived(_ procedures: Set<OwnProcedure>, with peer: DeviceAddress) {
        guard let ends = records[peer] else { return }
        records[peer] = Self.joined(
            ends.map { Ends(procedures: $0.procedures.subtracting(procedures), count: $0.count, last: $0.last) })
    }

    /// The peer known by `old` has revealed its identity.
    mutating func rename(_ old: DeviceAddress, to identity: DeviceAddress) {
        guard let former = records.removeValue(forKey: old) else { return }
        records[identity] = Self.joined(former + (records[identity] ?? []))
    }

    private mutating func forgetOldest() {
        let oldest = records.min { ($0.value.last?.last ?? .zero) < ($1.value.last?.last ?? .zero) }
        if let oldest { records[oldest.key] = nil }
    }

    /// The number of remembered ends during different procedures.
    func remembered(of peer: DeviceAddress) -> Int { records[peer]?.count { $0.count > 0 } ?? 0 }

    /// A list with one place for each set of procedures; nil for an empty list.
    private static func joined(_ list: [Ends]) -> [Ends]? {
        var joined: [Ends] = []
        for ends in list where !ends.procedures.isEmpty {
            if let place = joined.firstIndex(where: { $0.procedures == ends.procedures }) {
                joined[place].count = min(joined[place].count + ends.count, trialLimit)
                joined[place].last = max(joined[place].last, ends.last)
            } else {
                joined.append(ends)
            }
        }
        guard !joined.isEmpty else { return nil }
        let newest = joined.sorted { $0.last < $1.last }.suffix(endsLimit)
        return Array(repeating: .free, count: endsLimit - newest.count) + newest
    }

    /// The procedures behind the ends: the procedure of the most ends, then the procedure of the most other ends, and so
    /// on. Too few ends stay without an explanation.
    private static func guilty(of ends: [Ends]) -> Set<OwnProcedure> {
        let suspects = OwnProcedure.allCases.filter { Self.isSuspect($0, in: ends) }
        let trials = ends.reduce(0) { $0 + $1.count }
        guard trials < trialLimit else { return Set(suspects) }
        var guilty: Set<OwnProcedure> = []
        var unexplained = ends
        for _ in suspects {
            guard let next = mostSuspect(of: suspects, in: unexplained) else { break }
            guilty.insert(next)
            unexplained.removeAll { $0.procedures.contains(next) }
        }
        return guilty
    }

    private static func isSuspect(_ procedure: OwnProcedure, in ends: [Ends]) -> Bool {
        count(of: procedure, in: ends) >= LinkEndHabit.limit
    }

    private static func mostSuspect(of procedures: [OwnProcedure], in ends: [Ends]) -> OwnProcedure? {
        var most: (procedure: OwnProcedure, ends: Int, rank: Int)?
        for procedure in procedures where isSuspect(procedure, in: ends) {
            let count = count(of: procedure, in: ends)
            let rank = ends.reduce(0) { $0 + ($1.procedures[procedure] ?? 0) * $1.count }
            if let most, (most.ends, -most.rank) >= (count, -rank) { continue }
            most = (procedure, count, rank)
        }
        return most?.procedure
    }

    private static func count(of procedure: OwnProcedure, in ends: [Ends]) -> Int {
        ends.reduce(0) { $0 + ($1.procedures.contains(procedure) ? $1.count : 0) }
    }
}
