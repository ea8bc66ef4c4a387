// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import MQTT
import Readings

/// The live lane's turn.
extension PublisherDesk {
    mutating func publishLive(
        to connection: MQTTConnection, at now: MonotonicTime, _ stamp: TimeStamp
    ) throws(MQTTFailure) {
        let window = configuration.liveWindow.wholeMilliseconds
        let uptime = stamp.uptimeMilliseconds
        guard takeOver(at: now, since: uptime.subtractingSaturated(window)) else { return }
        while inFlight.count < limit, let refused = nextRefused(.live), refused.until <= now {
            guard try tryAgain(refused.device, on: connection, at: now, uptime) else { return }
        }
        while inFlight.count < limit {
            guard let row = live.nextDue(at: uptime) else { break }
            if !live.refused.contains(row.device) { try sendState(of: row, on: connection) }
        }
        while inFlight.count < limit {
            let next: JournalRow?
            do {
                next = try live.nextRow(
                    from: journal, boot: timeLine.current, youngSince: uptime.subtractingSaturated(window))
            } catch {
                return cannotRead(error, at: now)
            }
            guard let row = next else { break }
            guard time(of: row) != nil else {
                live.hold(row)
                continue
            }
            guard timeLine.isLive(row, at: uptime, window: window) else { continue }
            let isTrial = live.refused.isOpen(row.device)
            guard isTrial || !live.refused.contains(row.device) else { continue }
            let pacing = pacing(of: row.device)
            let fields = pacing?.band == nil ? nil : composer.fields(of: row)
            guard live.judge(row, pacing, at: uptime, fields: fields) == .send else { continue }
            if isTrial { live.refused.beginTry(row.device, with: row.n) }
            try sendState(of: row, on: connection)
        }
        settleSuppressed()
    }

    /// Begins with what another publisher may have sent.
    mutating func takeOver(_ superseded: [LiveLane.Stream: Int64]) {
        live.takeOver(superseded)
        hasTakenOver = true
    }

    /// The same where the journal could not be read when the publisher was started.
    ///
    /// - Returns: False while it still cannot.
    private mutating func takeOver(at now: MonotonicTime, since uptime: Int64) -> Bool {
        if hasTakenOver { return true }
        do {
            let superseded = try journal.reading {
                try LiveLane.superseded(in: $0, boot: timeLine.current, youngSince: uptime)
            }
            guard let superseded else { return false }
            takeOver(superseded)
            return true
        } catch {
            cannotRead(error, at: now)
            return false
        }
    }

    /// Nil where nothing is ever kept back.
    private mutating func pacing(of device: Int64) -> LivePacing? {
        guard isPacing else { return nil }
        if let known = pacings[device] { return known }
        guard let name = try? journal.deviceName(device) else { return configuration.pacing }
        let pacing = (descriptions[name]?.pacing ?? LivePacingRule()).applied(to: configuration.pacing)
        pacings[device] = pacing
        return pacing
    }

    /// What does not go out on `…/state` goes by history, on top of its rate, or is given up.
    private mutating func settleSuppressed() {
        let suppressed = live.takeSuppressed()
        guard !suppressed.isEmpty else { return }
        counts.suppressed += suppressed.count
        // What gathers in a pause is a backlog like any other.
        if history.mode == .normal { history.bucket.grant(suppressed.count { !$0.isDropped }) }
        for (reason, rows) in Dictionary(grouping: suppressed.lazy.filter(\.isDropped), by: \.reason) {
            journal.drop(rows.map(\.n), reason: reason)
        }
    }

    mutating func sendState(of row: JournalRow, on connection: MQTTConnection) throws(MQTTFailure) {
        guard let time = time(of: row) else { return }
        let content = InFlight.live(row.n, LiveLane.Stream(device: row.device, characteristic: row.characteristic))
        let message = composer.state(of: row, time: time, boot: timeLine.boot(row.boot)?.name ?? "")
        do {
            try sent(
                content,
                try connection.publish(message.payload, to: message.topic, properties: properties.live(time.quality)))
            counts.live += 1
        } catch .tooLarge {
            refused(content, .packetTooLarge)
        }
        if configuration.publishRaw, let raw = composer.raw(of: row) {
            try publishUnacknowledged(raw.payload, to: raw.topic, on: connection)
        }
    }

    /// Sends the first row that was refused again, by itself, if it is still the present; else the next that comes.
    ///
    /// - Returns: False when the journal could not be read.
    private mutating func tryAgain(
        _ device: Int64, on connection: MQTTConnection, at now: MonotonicTime, _ uptime: Int64
    ) throws(MQTTFailure) -> Bool {
        guard let first = live.refused.first(of: device) else { return true }
        let window = configuration.liveWindow.wholeMilliseconds
        let found: JournalRow?
        do {
            found = try journal.rows(after: first - 1, limit: 1).first
        } catch {
            cannotRead(error, at: now)
            return false
        }
        guard let row = found, row.n == first, row.device == device, time(of: row) != nil,
            timeLine.isLive(row, at: uptime, window: window), live.judge(row, at: uptime) == .send
        else {
            live.refused.open(device)
            return true
        }
        live.refused.beginTry(device)
        try sendState(of: row, on: connection)
        return true
    }
}
