// SPDX-License-Identifier: Apache-2.0

/// The quality of the air.
package struct AirSettings: Sendable {
    /// Time from a host's hand-over of data to the first connection event that may carry the data.
    package var latency: Duration
    /// Probability that one packet on the air is lost: 0…1. Data is retransmitted, advertisements are not.
    package var packetLoss: Double
    /// Microseconds from the Unix epoch to the zero of the air's clock: counters stamp their values with this time.
    package var epoch: Int64
    /// Entries in a sensor's ledger, at most; the oldest are removed first.
    package var ledgerCapacity: Int
    /// Seconds in the air of a ``VirtualRadio`` for each real second: 1…1,000. Hosts time themselves by their own
    /// clocks.
    package var pace: Int64

    package init(
        latency: Duration = .zero, packetLoss: Double = 0, epoch: Int64 = 0, ledgerCapacity: Int = 65_536,
        pace: Int64 = 1
    ) {
        self.latency = latency
        self.packetLoss = packetLoss
        self.epoch = epoch
        self.ledgerCapacity = ledgerCapacity
        self.pace = min(max(pace, 1), 1_000)
    }
}
