// SPDX-License-Identifier: Apache-2.0

/// A sensor's turns at the controller's links, if there are fewer links than sensors want; a value.
struct SlotTurns: Equatable, Sendable {
    /// More sensors want a link than the controller has.
    var shortage: SlotShortage?
    /// Milliseconds between the last two turns at a link…
    var period: Int64?
    /// …and the entry's interval of values, in milliseconds.
    var wanted: Int64?

    static let advice =
        "More links need another adapter or a second gateway; value_every_s in the entries of slow sensors leaves more "
        + "time to the other sensors."

    /// Why the sensor waits for its turn.
    var reason: String { shortage?.words ?? "the controller bears no link more" }

    /// The actual interval compared with the wanted interval, as the end of a sentence; empty if the actual interval is
    /// enough.
    var shortfall: String {
        guard shortage != nil, let period else { return "" }
        guard let wanted else { return "; a turn comes every \(SpokenTime.of(period))" }
        guard period > wanted + wanted / 2 else { return "" }
        let (wish, fact) = (SpokenTime.of(wanted), SpokenTime.of(period))
        return "; the entry wants a value every \(wish), and a value comes every \(fact)"
    }
}
