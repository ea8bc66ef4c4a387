// SPDX-License-Identifier: Apache-2.0

/// When the parts of a gateway last had an effect, in milliseconds ago; nil: not in this run.
///
/// A part that says that it is well proves nothing, its effect does.
package struct GatewayProofs: Codable, Equatable, Sendable {
    /// The broker acknowledged a reading on the live lane.
    package var liveAckAgeMs: Int64?
    /// The broker acknowledged a message of history.
    package var historyAckAgeMs: Int64?
    /// Something came by the radio: an advertisement of anybody, or a value on a link.
    package var heardAgeMs: Int64?
    /// The disk took readings.
    package var writtenAgeMs: Int64?
    /// For how long messages have waited at the broker without any acknowledgement; nil: nothing waits.
    package var unacknowledgedMs: Int64?
    /// For how long readings have waited for the disk without any write; nil: nothing waits.
    package var unwrittenMs: Int64?

    package init() {}
}
