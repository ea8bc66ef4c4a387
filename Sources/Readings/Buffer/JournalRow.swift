// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// A reading in the journal, with numbers in place of names.
package struct JournalRow: Equatable, Sendable {
    /// The row number: strictly increasing, never used twice; the payload's `n`.
    package var n: Int64
    package var device: Int64
    package var characteristic: Int64
    package var source: Reading.Source
    package var rssi: Int8?
    package var boot: Int64
    package var uptimeMilliseconds: Int64
    package var unixMilliseconds: Int64?
    package var quality: ClockQuality
    package var value: [UInt8]

    @inlinable package init(
        n: Int64, device: Int64, characteristic: Int64, source: Reading.Source, rssi: Int8? = nil, boot: Int64,
        uptimeMilliseconds: Int64, unixMilliseconds: Int64? = nil, quality: ClockQuality, value: [UInt8]
    ) {
        self.n = n
        self.device = device
        self.characteristic = characteristic
        self.source = source
        self.rssi = rssi
        self.boot = boot
        self.uptimeMilliseconds = uptimeMilliseconds
        self.unixMilliseconds = unixMilliseconds
        self.quality = quality
        self.value = value
    }
}

/// One start of the machine in the journal. Later boots have greater ids.
package struct JournalBoot: Equatable, Sendable {
    package var id: Int64
    /// First 8 digits of the boot id.
    package var name: String
    /// Unix time minus uptime in milliseconds; nil until the clock was right in this boot.
    package var offset: Int64?

    @inlinable package init(id: Int64, name: String, offset: Int64? = nil) {
        self.id = id
        self.name = name
        self.offset = offset
    }
}
