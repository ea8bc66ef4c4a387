// SPDX-License-Identifier: Apache-2.0

import GATT

/// The procedures that were under way when a link ended, each with its rank; 0 for the most suspect ones. Takes the same
/// memory for any number of procedures: eight octets.
struct RankedProcedures: Hashable, Sendable {
    /// Four bits for each procedure, in the order of ``OwnProcedure``: the rank plus one, or 0 for a procedure that was not
    /// under way.
    private var bits: UInt64 = 0

    /// `procedures`: sets of procedures, the most suspect set first. Sets from the 15th on have the same rank.
    init(_ procedures: [Set<OwnProcedure>]) {
        for (rank, procedures) in procedures.enumerated() {
            for procedure in procedures where !contains(procedure) { self[procedure] = min(rank, 14) }
        }
    }

    var isEmpty: Bool { bits == 0 }

    func contains(_ procedure: OwnProcedure) -> Bool { self[procedure] != nil }

    /// The number of procedures.
    var count: Int { OwnProcedure.allCases.count { contains($0) } }

    /// The rank of a procedure; nil if the procedure was not under way.
    private(set) subscript(procedure: OwnProcedure) -> Int? {
        get {
            let field = Int(bits >> Self.place(of: procedure) & 0xF)
            return field == 0 ? nil : field - 1
        }
        set {
            let place = Self.place(of: procedure)
            bits &= ~(0xF << place)
            if let newValue { bits |= UInt64(newValue + 1) << place }
        }
    }

    func subtracting(_ procedures: Set<OwnProcedure>) -> Self {
        var rest = self
        for procedure in procedures { rest[procedure] = nil }
        return rest
    }

    /// The lowest of the procedure's four bits.
    private static func place(of procedure: OwnProcedure) -> Int {
        4 * (OwnProcedure.allCases.firstIndex(of: procedure) ?? 0)
    }
}
