// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// How a sensor that stores its values is asked for them: a Record Access Control Point (0x2A52) beside a Glucose
/// Measurement. Glucose Service 1.0.1, 3.1 and 3.4.
///
/// Records are numbered; those that were collected before are not asked for again, in another run of the gateway either.
struct RecordAccess: Equatable, Sendable {
    static let measurement = SensorRule.Feed(service: 0x1808, characteristic: 0x2A18)
    static let controlPoint = SensorRule.Feed(service: 0x1808, characteristic: 0x2A52)

    enum Answer: Equatable, Sendable {
        /// All that were asked for have come.
        case done
        /// There is nothing newer.
        case nothingNew
        /// It will not; a response code value.
        case refused(UInt8)
        /// It answers something that was not asked.
        case other
    }

    /// The greatest number of a record that came.
    private(set) var newest: UInt16?
    private var isAsking = false

    init(newest: UInt16?) { self.newest = newest }

    /// What to write: Report Stored Records, all or from a number on. Nil when no number is left.
    mutating func request() -> [UInt8]? {
        guard let newest else {
            isAsking = true
            return [0x01, 0x01]
        }
        guard newest < .max else { return nil }
        isAsking = true
        // Greater than or equal to, filtered by sequence number.
        return [0x01, 0x03, 0x01, UInt8(truncatingIfNeeded: newest + 1), UInt8((newest + 1) >> 8)]
    }

    /// Looks at a record's number.
    mutating func take(_ value: [UInt8]) {
        guard value.count >= 3 else { return }
        newest = max(newest ?? 0, UInt16(value[1]) | UInt16(value[2]) << 8)
    }

    /// What the control point indicates: Response Code, to Report Stored Records.
    mutating func answer(_ value: [UInt8]) -> Answer {
        guard isAsking, value.count == 4, value[0] == 0x06, value[1] == 0x00, value[2] == 0x01 else { return .other }
        isAsking = false
        switch value[3] {
        case 0x01: return .done
        case 0x06: return .nothingNew
        default: return .refused(value[3])
        }
    }
}
