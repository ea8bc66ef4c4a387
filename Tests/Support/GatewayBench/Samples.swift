// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Logging
import Synchronization

@testable import Platform
@testable import Publisher
@testable import Readings

/// A clock with the test's time.
final class TestClock: WallClock {
    private let shown: Mutex<TimeStamp>

    init(_ stamp: TimeStamp) { shown = Mutex(stamp) }

    func stamp() -> TimeStamp { shown.withLock { $0 } }
    func set(_ stamp: TimeStamp) { shown.withLock { $0 = stamp } }
}

/// A commit observer that counts.
final class Counter: Sendable {
    private let state = Mutex(0)

    var value: Int { state.withLock { $0 } }
    func increment() { state.withLock { $0 += 1 } }
}

enum Sample {
    static let logger = {
        var logger = Logger(label: "test")
        logger.logLevel = .critical
        return logger
    }()

    static let information = GatewayInformation(
        version: "1.2.3", model: "Raspberry Pi Zero 2 W", os: "Debian GNU/Linux 12", boot: "5e0c91aa",
        adapters: [.init(name: "hci0", address: "C4:7C:8D:00:11:22")], ip: ["192.0.2.7"], capabilities: ["central"])

    static let synced = TimeStamp(
        boot: "5e0c91aa", uptimeMilliseconds: 381_223, unixMilliseconds: 1_767_261_906_123, quality: .synced)

    static func unsynced(boot: String = "5e0c91aa", up: Int64) -> TimeStamp {
        TimeStamp(boot: boot, uptimeMilliseconds: up, unixMilliseconds: nil, quality: .unsynced)
    }

    /// A temperature of `hundredths` × 0.01 °C.
    static func temperature(
        _ hundredths: Int16, device: String = "cbb8334c884f", at stamp: TimeStamp = synced
    ) -> Reading {
        Reading(
            device: device, characteristic: "2a6e", source: .notify,
            value: [UInt8(truncatingIfNeeded: hundredths), UInt8(truncatingIfNeeded: hundredths >> 8)], rssi: -67,
            stamp: stamp)
    }

    static func row(_ n: Int64 = 18_231, value: [UInt8] = [], rssi: Int8? = -67, at stamp: TimeStamp = synced)
        -> JournalRow
    {
        JournalRow(
            n: n, device: 1, characteristic: 1, source: .notify, rssi: rssi, boot: 1,
            uptimeMilliseconds: stamp.uptimeMilliseconds, unixMilliseconds: stamp.unixMilliseconds,
            quality: stamp.quality, value: value)
    }
}
