// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Logging
import MQTT
import Readings

/// The history lane's turn.
extension PublisherMachine {
    var hasRoomForHistory: Bool { inFlight.hasRoomForHistory && (!sizing.goesAlone || inFlight.isEmpty) }

    /// Sends a message; ``hasMore`` tells whether there is another. Octets that wait for the socket would delay live
    /// values.
    mutating func publishHistory(at moment: PublisherMoment, from rows: any DeliveryRows, isWriting: Bool) {
        let (now, uptime) = (moment.now, moment.stamp.uptimeMilliseconds)
        if history.takeCatchUp(at: now, every: Self.holdInterval) {
            let underway = inFlight.rows
            let held = Set(live.waitingRows).union(underway).union(leases?.kept ?? [])
            history.catchUp(held: held, underway: underway)
        }
        if hasRoomForHistory, !isWriting, history.isOpen(at: now), leases?.learningEnd(at: now) == nil {
            let hasMore = publishOneOfHistory(at: now, uptime, from: rows)
            turn.goesOn(hasMore)
        }
        if history.mode == .draining, inFlight.historyCount == 0, history.isIdle(at: uptime) {
            history.change(to: .normal)
            log(.notice, "history has been drained")
        }
    }

    /// - Returns: Whether there may be further messages.
    private mutating func publishOneOfHistory(
        at now: MonotonicTime, _ uptime: Int64, from rows: any DeliveryRows
    ) -> Bool {
        if let refused = nextRefused(.history), refused.until <= now {
            return tryHistoryAgain(refused.device, at: now, from: rows)
        }
        if let message = history.nextMessage() {
            send(message)
            return true
        }
        // A single step of a gathering each turn.
        return gather(at: now, uptime, from: rows)
    }

    /// Makes messages of the rows for history.
    ///
    /// - Returns: Whether there is a message to send now.
    private mutating func gather(at now: MonotonicTime, _ uptime: Int64, from rows: any DeliveryRows) -> Bool {
        if !history.isGathering {
            history.beginGathering()
            composer.beginHistory(limit: sizing.limit)
        }
        let window = configuration.liveWindow.wholeMilliseconds
        let held = Set(inFlight.live.lazy.map(\.n))
        let keptBack = Set(live.waitingRows)
        var isAtEnd = false
        for _ in 0..<HistoryLane.rowsAtOnce {
            let next: JournalRow?
            do {
                next = try history.nextRow(from: rows, at: uptime)
            } catch {
                cannotRead(error, at: now)
                return false
            }
            guard let row = next else {
                isAtEnd = true
                break
            }
            let retry = uptime.addingSaturated(Self.holdInterval.wholeMilliseconds)
            guard let time = times.time(of: row, from: rows), !held.contains(row.n) else {
                history.stop(before: row, until: retry)
                isAtEnd = true
                break
            }
            if times.isLive(row, at: uptime, window: window) {
                // Waits longer than until the row is old. Otherwise each row that becomes old would be a message of its
                // own.
                let old = row.uptimeMilliseconds.addingSaturated(window).addingSaturated(1)
                history.stop(before: row, until: old.addingSaturated(min(max(window / 2, 0), Self.gatheringTime)))
                isAtEnd = true
                break
            }
            if keptBack.contains(row.n) {
                history.pass(row)
                continue
            }
            guard mayTell(row, time, from: rows) else { continue }
            recordForDiscovery(row, isLive: false, state: nil, at: now, from: rows)
            composer.addToHistory(row, time: time, boot: times.boot(of: row), from: rows)
            history.gather()
            if history.gathered >= HistoryLane.gatheringRows || composer.gatheredOctets >= HistoryLane.gatheringOctets {
                isAtEnd = true
                break
            }
        }
        guard isAtEnd else { return false }
        history.endGathering(composer.endHistory())
        return history.hasMessages
    }

    private mutating func send(_ message: OutgoingMessage) {
        publish(
            message, as: .history(message.rows, device: message.device, octets: message.payload.count),
            message.data == nil ? composer.properties.history(message.clock) : nil)
    }

    /// Sends the first refused row again, alone.
    ///
    /// - Returns: False if the journal could not be read.
    private mutating func tryHistoryAgain(
        _ device: Int64, at now: MonotonicTime, from rows: any DeliveryRows
    ) -> Bool {
        guard let first = history.refused.first(of: device) else { return true }
        let found: JournalRow?
        do {
            found = try rows.rows(after: first - 1, limit: 1).first
        } catch {
            cannotRead(error, at: now)
            return false
        }
        guard let row = found, row.n == first, row.device == device else {
            // The journal has given the row up. The remaining rows then show whether the broker accepts them.
            resume(.history, device, at: now, from: rows)
            return true
        }
        guard let time = times.time(of: row, from: rows) else {
            history.refused.postpone(device, until: now + Self.holdInterval)
            return true
        }
        history.refused.beginTry(device)
        send(composer.message(of: row, time: time, boot: times.boot(of: row), from: rows))
        return true
    }
}
