// SPDX-License-Identifier: Apache-2.0

import Logging
import Platform
import Readings

/// What the desk asks of the journal to know when a row was, and of whom it is.
extension PublisherDesk {
    mutating func learnTime(from stamp: TimeStamp) {
        guard timeLine.learn(stamp, clock.anchor), let anchor = timeLine.anchor else { return }
        journal.setOffset(anchor.offset, ofBoot: stamp.boot)
        live.releaseHeld(underway: underway)
    }

    /// The time to publish with; asks the journal for what it knows of boots when this does not suffice.
    mutating func time(of row: JournalRow) -> ReadingTime? {
        if timeLine.boot(row.boot) != nil, let time = timeLine.time(of: row) { return time }
        guard !bootsAreFresh || timeLine.boot(row.boot) == nil else { return nil }
        bootsAreFresh = true
        if let boots = try? journal.boots() { timeLine.replaceBoots(boots) }
        return timeLine.time(of: row)
    }

    func name(of device: Int64) -> String {
        let name = try? journal.deviceName(device)
        return name ?? "device-\(device)"
    }

    /// Which sensor a line of the log is about.
    func metadata(of device: Int64) -> Logger.Metadata {
        let id = name(of: device)
        var metadata: Logger.Metadata = ["sensor.id": "\(id)"]
        if let name = descriptions[id]?.name { metadata["sensor.name"] = "\(name)" }
        return metadata
    }
}
