// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Logging
import MQTT
import Readings

/// The history lane's turn.
extension PublisherDesk {
    /// Messages of history that may be on their way: the rest is kept for the live lane.
    var historyWindow: Int { max(limit / 2, 1) }

    var hasRoomForHistory: Bool {
        inFlight.count < limit && historyInFlight.messages < historyWindow
            && historyInFlight.octets < Self.historyOctets && (sizes.alone == 0 || inFlight.isEmpty)
    }

    mutating func publishHistory(
        to connection: MQTTConnection, at now: MonotonicTime, _ stamp: TimeStamp
    ) throws(MQTTFailure) {
        if history.hasPassed, now >= nextCatchUp {
            nextCatchUp = now + Self.holdInterval
            let underway = underway
            history.catchUp(held: Set(live.waitingRows).union(underway), underway: underway)
        }
        // What the socket has not taken yet would hold up live values.
        while hasRoomForHistory, !connection.wantsWrite, history.isOpen(at: now) {
            if let refused = nextRefused(.history), refused.until <= now {
                guard try tryHistoryAgain(refused.device, on: connection, at: now) else { return }
                continue
            }
            if let message = history.nextMessage() {
                try send(message, on: connection)
                continue
            }
            // One step of a gathering a turn.
            guard gather(at: now, stamp.uptimeMilliseconds) else { break }
        }
        if history.mode == .draining, historyInFlight.messages == 0, history.isIdle(at: stamp.uptimeMilliseconds) {
            history.mode = .normal
            logger.notice("history has been drained")
        }
    }

    /// Makes messages of what is for history.
    ///
    /// - Returns: Whether there is something to send now.
    private mutating func gather(at now: MonotonicTime, _ uptime: Int64) -> Bool {
        if !history.isGathering {
            history.beginGathering()
            composer.beginHistory(limit: historyLimit)
        }
        let window = configuration.liveWindow.wholeMilliseconds
        let held = Set(underwayOnLive)
        let keptBack = Set(live.waitingRows)
        var isAtEnd = false
        for _ in 0..<HistoryLane.rowsAtOnce {
            let next: JournalRow?
            do {
                next = try history.nextRow(from: journal, at: uptime)
            } catch {
                cannotRead(error, at: now)
                return false
            }
            guard let row = next else {
                isAtEnd = true
                break
            }
            let retry = uptime.addingSaturated(Self.holdInterval.wholeMilliseconds)
            guard let time = time(of: row), !held.contains(row.n) else {
                history.stop(before: row, until: retry)
                isAtEnd = true
                break
            }
            if timeLine.isLive(row, at: uptime, window: window) {
                // Not as soon as it is old: rows that get old one by one would each be a message.
                let old = row.uptimeMilliseconds.addingSaturated(window).addingSaturated(1)
                history.stop(before: row, until: old.addingSaturated(min(max(window / 2, 0), Self.gatheringTime)))
                isAtEnd = true
                break
            }
            if keptBack.contains(row.n) {
                history.pass(row)
                continue
            }
            composer.addToHistory(row, time: time, boot: timeLine.boot(row.boot)?.name ?? "")
            history.take()
            if history.gathered >= HistoryLane.gatheringRows || composer.gatheredOctets >= HistoryLane.gatheringOctets {
                isAtEnd = true
                break
            }
        }
        guard isAtEnd else { return false }
        history.endGathering(composer.endHistory())
        return history.hasMessages
    }

    private var underwayOnLive: [Int64] {
        inFlight.values.compactMap { message in
            if case .live(let n, _) = message.content { n } else { nil }
        }
    }

    mutating func send(_ message: OutgoingMessage, on connection: MQTTConnection) throws(MQTTFailure) {
        let content = InFlight.history(message.rows, device: message.device, octets: message.payload.count)
        do {
            try sent(
                content,
                try connection.publish(
                    message.payload, to: message.topic, properties: properties.history(message.clock)))
            counts.history += 1
            history.sent(rows: message.rows.count)
            if sizes.alone > 0 { sizes.alone -= 1 }
        } catch .tooLarge {
            refused(content, .packetTooLarge)
        }
    }

    /// Sends the first row that was refused again, by itself.
    ///
    /// - Returns: False when the journal could not be read.
    private mutating func tryHistoryAgain(
        _ device: Int64, on connection: MQTTConnection, at now: MonotonicTime
    ) throws(MQTTFailure) -> Bool {
        guard let first = history.refused.first(of: device) else { return true }
        let found: JournalRow?
        do {
            found = try journal.rows(after: first - 1, limit: 1).first
        } catch {
            cannotRead(error, at: now)
            return false
        }
        guard let row = found, row.n == first, row.device == device else {
            // The journal has given it up: then what is left shows whether the broker takes it.
            resume(.history, device)
            return true
        }
        guard let time = time(of: row) else {
            history.refused.postpone(device, until: now + Self.holdInterval)
            return true
        }
        history.refused.beginTry(device)
        let message = composer.message(of: row, time: time, boot: timeLine.boot(row.boot)?.name ?? "")
        try send(message, on: connection)
        return true
    }
}
