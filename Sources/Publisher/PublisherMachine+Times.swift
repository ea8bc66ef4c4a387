// SPDX-License-Identifier: Apache-2.0

import Logging
import Platform
import Readings

/// What the machine asks of the journal to know when a row was, and of whom it is.
extension PublisherMachine {
    mutating func learnTime(at moment: PublisherMoment) {
        guard timeLine.learn(moment.stamp, moment.anchor), let anchor = timeLine.anchor else { return }
        want(.setOffset(anchor.offset, boot: moment.stamp.boot))
        live.releaseHeld(underway: underway)
    }

    /// The time to publish with; asks the journal for what it knows of boots when this does not suffice.
    mutating func time(of row: JournalRow, from rows: any DeliveryRows) -> ReadingTime? {
        if timeLine.boot(row.boot) != nil, let time = timeLine.time(of: row) { return time }
        guard !bootsAreFresh || timeLine.boot(row.boot) == nil else { return nil }
        bootsAreFresh = true
        if let boots = try? rows.boots() { timeLine.replaceBoots(boots) }
        return timeLine.time(of: row)
    }

    func name(of device: Int64, from rows: any DeliveryRows) -> String {
        let name = try? rows.deviceName(device)
        return name ?? "device-\(device)"
    }

    /// Which sensor a line of the log is about.
    func metadata(of device: Int64, from rows: any DeliveryRows) -> Logger.Metadata {
        let id = name(of: device, from: rows)
        var metadata: Logger.Metadata = ["sensor": "\(id)"]
        if let name = descriptions[id]?.name { metadata["sensor.name"] = "\(name)" }
        return metadata
    }
}
