// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Logging
import Platform
import Readings

/// The times of rows, and the sensors of rows.
extension PublisherMachine {
    mutating func learnTime(at moment: PublisherMoment) {
        guard let anchor = times.beginTurn(moment.stamp, moment.anchor) else { return }
        want(.setOffset(anchor.offset, boot: moment.stamp.boot))
        live.releaseHeld(underway: inFlight.rows)
    }

    func name(of device: Int64, from rows: any DeliveryRows) -> String {
        let name = try? rows.deviceName(device)
        return name ?? "device-\(device)"
    }

    /// The sensor of a line in the log.
    func metadata(of device: Int64, from rows: any DeliveryRows) -> Logger.Metadata {
        let id = name(of: device, from: rows)
        var metadata: Logger.Metadata = ["sensor": "\(id)"]
        if let name = descriptions[id]?.name { metadata["sensor.name"] = "\(name)" }
        return metadata
    }
}
