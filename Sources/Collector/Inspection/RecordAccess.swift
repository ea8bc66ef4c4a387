// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// Asks a sensor for its stored values: a Record Access Control Point (0x2A52) beside a Glucose Measurement. Glucose
/// Service 1.0.1, 3.1 and 3.4.
///
/// Records are numbered. The collector does not ask again for records that it has, even in a later run of the gateway.
/// A meter that numbers its records anew also reports no newer records. So the collector then asks for the last record,
/// and asks for all records if the last record has a smaller number.
struct RecordAccess: Equatable, Sendable {
    static let measurement = SensorRule.Feed(service: 0x1808, characteristic: 0x2A18)
    static let controlPoint = SensorRule.Feed(service: 0x1808, characteristic: 0x2A52)

    enum Answer: Equatable, Sendable {
        /// All requested records have come.
        case done
        /// There are no newer records.
        case nothingNew
        /// ``request()`` has another request.
        case askAgain
        /// The sensor refuses; a response code value.
        case refused(UInt8)
        /// The answer is to another request.
        case other
    }

    private enum Question: Equatable, Sendable {
        case all
        case from(UInt16)
        case last
    }

    /// The greatest number of a received record.
    private(set) var newest: UInt16?
    private var asked: Question?
    private var next: Question?

    init(newest: UInt16?) { self.newest = newest }

    /// A new link: forgets the open request of an earlier link.
    mutating func linkBegan() {
        asked = nil
        if next == .last { next = nil }
    }

    /// The request to write: Report Stored Records.
    mutating func request() -> [UInt8] {
        let question: Question
        if let next {
            question = next
        } else if let newest {
            // No greater number exists. The meter's last record shows whether its numbers begin anew.
            question = newest < .max ? .from(newest + 1) : .last
        } else {
            question = .all
        }
        (asked, next) = (question, nil)
        return switch question {
        case .all: [0x01, 0x01]
        // Greater than or equal to, filtered by sequence number.
        case .from(let number): [0x01, 0x03, 0x01, UInt8(truncatingIfNeeded: number), UInt8(number >> 8)]
        case .last: [0x01, 0x06]
        }
    }

    /// Counts a record by its number. True for a new record.
    mutating func count(_ value: [UInt8]) -> Bool {
        guard value.count >= 3 else { return true }
        let number = UInt16(value[1]) | UInt16(value[2]) << 8
        if asked == .last {
            if let newest, number < newest { (self.newest, next) = (nil, .all) }
            return false
        }
        newest = max(newest ?? 0, number)
        return true
    }

    /// Takes an indication of the control point: Response Code, to Report Stored Records.
    mutating func answer(_ value: [UInt8]) -> Answer {
        guard let question = asked, value.count == 4, value[0] == 0x06, value[1] == 0x00, value[2] == 0x01 else {
            return .other
        }
        asked = nil
        if question == .last { return next == nil ? .nothingNew : .askAgain }
        switch value[3] {
        case 0x01: return .done
        case 0x06:
            guard case .from = question else { return .nothingNew }
            next = .last
            return .askAgain
        default: return .refused(value[3])
        }
    }
}
