// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import MQTT
import Platform

/// Devices whose messages the broker refused. Each device is set aside with a wait of its own, while the other devices
/// go on.
///
/// A single row is tried again: the first refused row. When the broker accepts this row, the device's other rows
/// follow.
struct RefusedDevices {
    private struct Entry {
        /// The device's rows from this row on still have to go.
        var first: Int64
        var isAside = true
        /// The time of the next trial of `first`.
        var until: MonotonicTime
        /// `first` is in flight.
        var isTrying = false
        /// The refused row is gone, so the next new row is tried.
        var isOpen = false
        var backoff = Backoff(.seconds(1)...(.seconds(60)))
        var refusals = 0
        var reason: MQTTReason?
        var resumedAt: MonotonicTime?
    }

    /// A refusal worth a line in the log.
    struct News {
        var refusals: Int
        var wait: Duration
    }

    /// A device that was accepted again for this long begins with a short wait.
    private static let calmTime: Duration = .seconds(60)

    private var entries: [Int64: Entry] = [:]

    var isEmpty: Bool { entries.isEmpty }

    /// Devices that are set aside now.
    var count: Int { entries.values.count(where: \.isAside) }

    func contains(_ device: Int64) -> Bool { entries[device]?.isAside ?? false }

    func isTrying(_ device: Int64) -> Bool { entries[device]?.isTrying ?? false }

    /// Whether the device's next row is a trial.
    func isOpen(_ device: Int64) -> Bool { entries[device].map { $0.isAside && $0.isOpen && !$0.isTrying } ?? false }

    /// The row for the next trial.
    func first(of device: Int64) -> Int64? { contains(device) ? entries[device]?.first : nil }

    /// Sets a device aside.
    ///
    /// - Parameter spread: As in ``Backoff/wait(spread:)``.
    /// - Returns: The news for the log: the first refusal, then at doubling distances, and each other reason.
    mutating func refuse(
        _ device: Int64, row: Int64, _ reason: MQTTReason, at now: MonotonicTime, spread: Double
    ) -> News? {
        var entry = entries[device] ?? Entry(first: row, until: now)
        defer { entries[device] = entry }
        if entry.refusals > 0, entry.isAside, !entry.isTrying {
            // The message was in flight together with the refused message.
            entry.first = min(entry.first, row)
            return nil
        }
        if let resumedAt = entry.resumedAt, now - resumedAt >= Self.calmTime {
            entry.backoff.reset()
            entry.refusals = 0
        }
        entry.first = entry.isAside ? min(entry.first, row) : row
        entry.isAside = true
        entry.isTrying = false
        entry.isOpen = false
        entry.resumedAt = nil
        entry.refusals += 1
        let wait = entry.backoff.wait(spread: spread)
        entry.until = now + wait
        defer { entry.reason = reason }
        guard entry.reason != reason || entry.refusals & (entry.refusals - 1) == 0 else { return nil }
        return News(refusals: entry.refusals, wait: wait)
    }

    /// Sets a device aside without a wait: its rows go again in smaller messages.
    mutating func repeatSmaller(_ device: Int64, from row: Int64, at now: MonotonicTime) {
        var entry = entries[device] ?? Entry(first: row, until: now)
        entry.first = entry.isAside ? min(entry.first, row) : row
        if !entry.isAside { entry.until = now }
        entry.isAside = true
        entries[device] = entry
    }

    /// The next device to try again; `isBusy`: whether a device has a message in flight.
    func nextDue(unless isBusy: (Int64) -> Bool) -> (device: Int64, until: MonotonicTime)? {
        var next: (device: Int64, until: MonotonicTime)?
        for (device, entry) in entries where entry.isAside && !entry.isTrying && !entry.isOpen && !isBusy(device) {
            if next.map({ entry.until < $0.until }) ?? true { next = (device, entry.until) }
        }
        return next
    }

    /// - Parameter row: The row of the trial, if it is not the refused row.
    mutating func beginTry(_ device: Int64, with row: Int64? = nil) {
        entries[device]?.isTrying = true
        entries[device]?.isOpen = false
        if let row { entries[device]?.first = row }
    }

    /// The trial ended without an answer about the device, so the trial is still due.
    mutating func abandonTry(_ device: Int64) { entries[device]?.isTrying = false }

    /// The refused row is gone: the device is tried with its next row.
    mutating func open(_ device: Int64) { entries[device]?.isOpen = true }

    mutating func postpone(_ device: Int64, until time: MonotonicTime) { entries[device]?.until = time }

    /// The broker accepts the device's messages again.
    ///
    /// - Returns: Whether it had refused any message.
    mutating func resume(_ device: Int64, at now: MonotonicTime) -> Bool {
        entries[device]?.isAside = false
        entries[device]?.isTrying = false
        entries[device]?.resumedAt = now
        return entries[device].map { $0.refusals > 0 } ?? false
    }

    /// Another connection may lead to another broker, or another access list: each device gets an immediate trial.
    mutating func beginConnection() {
        for device in entries.keys {
            entries[device]?.isTrying = false
            entries[device]?.isOpen = false
            entries[device]?.until = .zero
        }
    }
}
