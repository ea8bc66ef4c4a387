// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// How a sensor that stores its values is asked for them: a Record Access Control Point (0x2A52) beside a Glucose
/// Measurement. Glucose Service 1.0.1, 3.1 and 3.4.
///
/// Records are numbered; those that were collected before are not asked for again, in another run of the gateway either.
/// A meter that has begun to number anew has nothing newer, either: so it is then asked for its last record, and for all when
/// that has a smaller number.
struct RecordAccess: Equatable, Sendable {
    static let measurement = SensorRule.Feed(service: 0x1808, characteristic: 0x2A18)
    static let controlPoint = SensorRule.Feed(service: 0x1808, characteristic: 0x2A52)

    enum Answer: Equatable, Sendable {
        /// All that were asked for have come.
        case done
        /// There is nothing newer.
        case nothingNew
        /// ``request()`` has something else to ask.
        case askAgain
        /// It will not; a response code value.
        case refused(UInt8)
        /// It answers something that was not asked.
        case other
    }

    private enum Question: Equatable, Sendable {
        case all
        case from(UInt16)
        case last
    }

    /// The greatest number of a record that came.
    private(set) var newest: UInt16?
    private var asked: Question?
    private var next: Question?

    init(newest: UInt16?) { self.newest = newest }

    /// A fresh link: what an earlier one was asked and did not answer is forgotten.
    mutating func linkBegan() {
        asked = nil
        if next == .last { next = nil }
    }

    /// What to write: Report Stored Records.
    mutating func request() -> [UInt8] {
        let question: Question
        if let next {
            question = next
        } else if let newest {
            // No number is left: its last record tells whether the meter has begun anew.
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

    /// Looks at a record's number; whether the record is a new one.
    mutating func take(_ value: [UInt8]) -> Bool {
        guard value.count >= 3 else { return true }
        let number = UInt16(value[1]) | UInt16(value[2]) << 8
        if asked == .last {
            if let newest, number < newest { (self.newest, next) = (nil, .all) }
            return false
        }
        newest = max(newest ?? 0, number)
        return true
    }

    /// What the control point indicates: Response Code, to Report Stored Records.
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
