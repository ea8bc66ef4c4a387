// SPDX-License-Identifier: Apache-2.0

import Readings

/// A reading as it lies in the journal: names replaced by the numbers of their table.
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
}

/// One start of the machine, as the journal knows it. Later boots have greater ids.
package struct JournalBoot: Equatable, Sendable {
    package var id: Int64
    /// First 8 digits of the boot id.
    package var name: String
    /// Unix time minus uptime in milliseconds, once the clock was right in that boot.
    package var offset: Int64?
}

extension Reading.Source {
    /// The number in the database; these never change their meaning.
    var code: Int64 {
        switch self {
        case .advert: 0
        case .notify: 1
        case .indicate: 2
        case .read: 3
        }
    }

    init(code: Int64) {
        switch code {
        case 0: self = .advert
        case 1: self = .notify
        case 2: self = .indicate
        default: self = .read
        }
    }
}

extension ClockQuality {
    /// The number in the database; these never change their meaning.
    var code: Int64 {
        switch self {
        case .synced: 0
        case .holdover: 1
        case .estimated: 2
        case .unsynced: 3
        }
    }

    init(code: Int64) {
        switch code {
        case 0: self = .synced
        case 1: self = .holdover
        case 2: self = .estimated
        default: self = .unsynced
        }
    }
}
