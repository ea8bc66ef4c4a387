// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Publisher
import Readings

/// Notices effects by counts that grow; a value. As exact as it is looked at often.
struct EffectWatch: Equatable, Sendable {
    private struct Count: Equatable {
        var value: Int64
        var grewAt: Int64?

        /// All times in milliseconds since boot.
        ///
        /// - Returns: The count has grown.
        @discardableResult mutating func look(_ new: Int64, at now: Int64) -> Bool {
            defer { value = new }
            guard new > value else { return false }
            grewAt = now
            return true
        }

        func age(at now: Int64) -> Int64? { grewAt.map { max(0, now.subtractingSaturated($0)) } }
    }

    /// An effect that is due, and does not come.
    private struct Wait: Equatable {
        var since: Int64?

        mutating func look(isDue: Bool, hasCome: Bool, at now: Int64) {
            since = isDue ? (hasCome ? now : since ?? now) : nil
        }

        func age(at now: Int64) -> Int64? { since.map { max(0, now.subtractingSaturated($0)) } }
    }

    private var acknowledgement = Wait()
    private var write = Wait()
    private var live = Count(value: 0)
    private var history = Count(value: 0)
    private var heard = Count(value: 0)
    /// Begins with the journal's books, which go on across restarts.
    private var written: Count?

    mutating func look(_ status: GatewayStatus, at now: Int64) -> GatewayProofs {
        let acknowledged = status.mqtt.liveAcknowledged ?? 0
        let isLive = live.look(Int64(acknowledged), at: now)
        let isHistory = history.look(Int64(status.mqtt.acknowledged) - Int64(acknowledged), at: now)
        acknowledgement.look(
            isDue: status.mqtt.connected && status.mqtt.inFlight > 0, hasCome: isLive || isHistory, at: now)
        let counters = status.controller.counters
        let received = ["advertising_reports", "notifications", "indications"].map { counters[$0] ?? 0 }
        heard.look(Int64(clamping: received.reduce(0, &+)), at: now)
        var writes = written ?? Count(value: Int64(status.journal.committed))
        let isWritten = writes.look(Int64(status.journal.committed), at: now)
        write.look(isDue: status.journal.waiting > 0, hasCome: isWritten, at: now)
        written = writes
        var proofs = GatewayProofs()
        (proofs.liveAckAgeMs, proofs.historyAckAgeMs) = (live.age(at: now), history.age(at: now))
        (proofs.heardAgeMs, proofs.writtenAgeMs) = (heard.age(at: now), writes.age(at: now))
        (proofs.unacknowledgedMs, proofs.unwrittenMs) = (acknowledgement.age(at: now), write.age(at: now))
        return proofs
    }
}
