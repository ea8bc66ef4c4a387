// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

extension Reading.Source {
    /// The number in the database. Numbers never change their meaning.
    @inlinable package var code: Int64 {
        switch self {
        case .advert: 0
        case .notify: 1
        case .indicate: 2
        case .read: 3
        }
    }

    @inlinable package init(code: Int64) {
        switch code {
        case 0: self = .advert
        case 1: self = .notify
        case 2: self = .indicate
        default: self = .read
        }
    }
}

extension ClockQuality {
    /// The number in the database. Numbers never change their meaning.
    package var code: Int64 {
        switch self {
        case .synced: 0
        case .holdover: 1
        case .estimated: 2
        case .unsynced: 3
        }
    }

    package init(code: Int64) {
        switch code {
        case 0: self = .synced
        case 1: self = .holdover
        case 2: self = .estimated
        default: self = .unsynced
        }
    }
}
