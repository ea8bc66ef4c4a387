// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Readings
import Testing

@testable import Collector

/// The status of a state whose end its sensor never reports.
struct EndedStateTests {
    /// Govee's H5121: a motion, and 90 %.
    private static let motion: [UInt8] = [9, 0, 0, 0, 1, 1, 4, 3, 2, 90, 1] + [UInt8](repeating: 0, count: 10)

    private static func fields(after milliseconds: Int64, of characteristic: String = "govee") throws -> [DecodedField]
    {
        var value = SensorStatus.Value(
            LatestValue(
                Reading(
                    device: "hall", characteristic: characteristic, source: .advert, value: motion, rssi: nil,
                    stamp: TimeStamp(boot: "boot", uptimeMilliseconds: 1_000, unixMilliseconds: nil, quality: .unsynced)
                ),
                about: [.binary(.motion, true), .int(.battery, 90)]))
        value.ageMs = milliseconds
        value.endStates()
        return try #require(value.fields)
    }

    @Test func `a motion is shown for a minute, and its battery for longer`() throws {
        #expect(try Self.fields(after: 59_999).map(\.value) == [.number(1), .number(90)])
        #expect(try Self.fields(after: 60_000).map(\.value) == [.number(0), .number(90)])
    }

    @Test func `a motion of a family that tells its end stays`() throws {
        #expect(try Self.fields(after: 600_000, of: "bthome").map(\.value) == [.number(1), .number(90)])
    }
}
