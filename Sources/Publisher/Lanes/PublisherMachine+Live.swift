// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import MQTT
import Readings

/// The live lane's turn.
extension PublisherMachine {
    mutating func publishLive(at moment: PublisherMoment, from rows: any DeliveryRows) {
        let window = configuration.liveWindow.wholeMilliseconds
        let (now, uptime) = (moment.now, moment.stamp.uptimeMilliseconds)
        guard takeOver(at: now, since: uptime.subtractingSaturated(window), from: rows) else { return }
        endStates(at: uptime, from: rows)
        while inFlight.hasRoom, let refused = nextRefused(.live), refused.until <= now {
            guard tryAgain(refused.device, at: now, uptime, from: rows) else { return }
        }
        while inFlight.hasRoom {
            guard let due = live.nextDue(at: uptime) else { break }
            guard !live.refused.contains(due.row.device), let time = times.time(of: due.row, from: rows) else {
                continue
            }
            composer.record(due.fields, of: due.row)
            sendState(of: due.row, time, as: due.stream, at: now, from: rows)
        }
        while inFlight.hasRoom {
            let next: JournalRow?
            do {
                next = try live.nextRow(
                    from: rows, boot: times.boot, youngSince: uptime.subtractingSaturated(window))
            } catch {
                return cannotRead(error, at: now)
            }
            guard let row = next else { break }
            guard let time = times.time(of: row, from: rows) else {
                live.hold(row)
                continue
            }
            guard times.isLive(row, at: uptime, window: window) else { continue }
            guard mayDeliver(row, from: rows) else { continue }
            let isRetry = live.refused.isOpen(row.device)
            guard isRetry || !live.refused.contains(row.device) else { continue }
            guard let stream = judge(row, at: uptime, from: rows) else {
                // A hardly changed value still counts as a packet.
                recordForDiscovery(row, isLive: false, state: nil, at: now, from: rows)
                continue
            }
            if isRetry { live.refused.beginTry(row.device, with: row.n) }
            sendState(of: row, time, as: stream, at: now, from: rows)
        }
        settleSuppressed()
    }

    /// The stream of a young row, if the row goes out now; otherwise nil.
    private mutating func judge(_ row: JournalRow, at uptime: Int64, from rows: any DeliveryRows) -> LiveLane.Stream? {
        guard let pacing = descriptions.pacing(of: row.device, from: rows), pacing.isActive else {
            let stream = LiveLane.Stream(row)
            return live.judge(row, of: stream, at: uptime) == .send ? stream : nil
        }
        let fields = composer.fields(of: row, from: rows)
        let stream = LiveLane.Stream(row, about: fields)
        // A newer value does not replace an event.
        let isEvent = composer.isEvent(row, from: rows)
        let verdict = live.judge(row, of: stream, pacing, at: uptime, fields: fields, isEvent: isEvent)
        return verdict == .send ? stream : nil
    }

    /// Begins with the rows that another publisher may have sent.
    mutating func takeOver(_ superseded: [LiveLane.Stream: Int64]) { live.takeOver(superseded) }

    /// Takes over now, if the journal could not be read at the publisher's start.
    ///
    /// - Returns: False while the journal cannot be read.
    private mutating func takeOver(at now: MonotonicTime, since uptime: Int64, from rows: any DeliveryRows) -> Bool {
        if live.hasTakenOver { return true }
        do {
            let superseded = try rows.reading {
                try LiveLane.superseded(in: $0, boot: times.boot, youngSince: uptime)
            }
            guard let superseded else {
                reading.postpone(at: now)
                return false
            }
            takeOver(superseded)
            return true
        } catch {
            cannotRead(error, at: now)
            return false
        }
    }

    /// Rows that do not go out on `…/state` go by history, in addition to its rate, or are given up.
    private mutating func settleSuppressed() {
        let suppressed = live.takeSuppressed()
        guard !suppressed.isEmpty else { return }
        counts.suppressed += suppressed.count
        // Rows that gather in a pause are a normal backlog.
        if history.mode == .normal { history.bucket.grant(suppressed.count { !$0.isDropped }) }
        for (reason, rows) in Dictionary(grouping: suppressed.lazy.filter(\.isDropped), by: \.reason) {
            want(.drop(rows.map(\.n), reason))
            turn.goesOn()
        }
    }

    private mutating func sendState(
        of row: JournalRow, _ time: ReadingTime, as stream: LiveLane.Stream, at now: MonotonicTime,
        from rows: any DeliveryRows
    ) {
        let content = InFlightWindow.Content.live(row.n, stream)
        let boot = times.boot(of: row)
        recordStates(of: row, from: rows)
        if let data = composer.data(of: row, time: time, from: rows) { return publish(data, as: content) }
        if let (event, state) = composer.event(of: row, time: time, boot: boot, from: rows) {
            publish(event, as: content, composer.properties.live(time.quality))
            if let state { want(.mention(state)) }
            recordForDiscovery(row, state: state, at: now, from: rows)
            return
        }
        let state = composer.state(of: row, time: time, boot: boot, from: rows)
        publish(state, as: content, composer.properties.live(time.quality))
        recordForDiscovery(row, state: state, at: now, from: rows)
        if configuration.publishRaw, let raw = composer.raw(of: row, from: rows) { want(.mention(raw)) }
    }

    /// Says of each state that is over, and whose sensor never says so, that it is over.
    private mutating func endStates(at uptime: Int64, from rows: any DeliveryRows) {
        for end in live.endings.takeDue(at: uptime) {
            guard let time = times.time(of: end.row, from: rows) else { continue }
            composer.record([end.field], of: end.row)
            let message =
                composer.data(of: end.row, time: time, from: rows)
                ?? composer.state(of: end.row, time: time, boot: times.boot(of: end.row), from: rows)
            want(.mention(message))
        }
    }

    /// A row goes out.
    private mutating func recordStates(of row: JournalRow, from rows: any DeliveryRows) {
        let seconds = composer.impulses(of: row, from: rows)
        guard !seconds.isEmpty, let fields = composer.fields(of: row, from: rows) else { return }
        live.endings.record(row, fields, seconds)
    }

    /// Sends the first refused row again, alone, if it is still the present; otherwise the next row is tried.
    ///
    /// - Returns: False if the journal could not be read.
    private mutating func tryAgain(
        _ device: Int64, at now: MonotonicTime, _ uptime: Int64, from rows: any DeliveryRows
    ) -> Bool {
        guard let first = live.refused.first(of: device) else { return true }
        let window = configuration.liveWindow.wholeMilliseconds
        let found: JournalRow?
        do {
            found = try rows.rows(after: first - 1, limit: 1).first
        } catch {
            cannotRead(error, at: now)
            return false
        }
        guard let row = found, row.n == first, row.device == device, let time = times.time(of: row, from: rows),
            times.isLive(row, at: uptime, window: window),
            live.judge(row, of: LiveLane.Stream(row), at: uptime) == .send
        else {
            live.refused.open(device)
            return true
        }
        live.refused.beginTry(device)
        sendState(of: row, time, as: LiveLane.Stream(row), at: now, from: rows)
        return true
    }
}
