// SPDX-License-Identifier: Apache-2.0

/// The turns of a sensor at the controller's links, where there are fewer than sensors want; a value.
struct SlotTurns: Equatable, Sendable {
    /// More sensors want a link than there are.
    var shortage: SlotShortage?
    /// Milliseconds from one turn at a link to the next, as last seen…
    var period: Int64?
    /// …and from one value to the next, as its entry asks for.
    var wanted: Int64?

    static let advice =
        "Each link more needs another adapter or a second gateway; value_every_s in the entries of those that need not be "
        + "asked all the time leaves more to the others."

    /// Why it waits for its turn.
    var reason: String { shortage?.words ?? "the controller bears no link more" }

    /// What it gets of what is wanted, as the end of a sentence; nothing where that is enough.
    var shortfall: String {
        guard shortage != nil, let period else { return "" }
        guard let wanted else { return "; it has a turn every \(SpokenTime.of(period))" }
        guard period > wanted + wanted / 2 else { return "" }
        return "; a value is wanted every \(SpokenTime.of(wanted)), and one comes every \(SpokenTime.of(period))"
    }
}
