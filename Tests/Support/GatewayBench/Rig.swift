// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Logging
import Platform
import Synchronization

@testable import Journal
@testable import Platform
@testable import Publisher
@testable import Readings

/// Something to connect to.
protocol Listener: AnyObject {
    var port: UInt16 { get }
}

/// A journal, a clock, and publishers for one broker.
final class Rig {
    let folder: TestFolder
    let journal: Journal
    let clock: any WallClock
    private let port: UInt16
    /// Kept so that the broker lives as long as its users.
    private let broker: (any Listener)?
    private let appended = Mutex(0)
    /// The publishers' table of sensors.
    let sensors = SensorTable()

    convenience init(_ broker: any Listener, clock: any WallClock = SystemClock(requireSynchronization: false)) throws {
        try self.init(port: broker.port, broker: broker, clock: clock)
    }

    convenience init(
        portWithoutBroker port: UInt16, clock: any WallClock = SystemClock(requireSynchronization: false)
    ) throws {
        try self.init(port: port, broker: nil, clock: clock)
    }

    private init(port: UInt16, broker: (any Listener)?, clock: any WallClock) throws {
        self.port = port
        self.broker = broker
        self.clock = clock
        folder = try TestFolder()
        journal = try Journal(
            JournalConfiguration(
                path: folder.path("journal.db"), commitRows: 25, commitInterval: .milliseconds(10), durability: .fast),
            clock: .system,
            logger: Sample.logger)
    }

    func publisher(
        logger: Logger = Sample.logger, nonce: String? = nil, _ change: (inout MQTTConfiguration) -> Void = { _ in }
    ) -> Publisher {
        let configuration = configuration(change)
        return Publisher(
            configuration, gateway: "gw-test", information: Sample.information, journal: journal, clock: clock,
            surroundings: PublisherSurroundings(randomness: .system, sensors: sensors, nonce: nonce), logger: logger)
    }

    var topics: Topics { Topics(prefix: "martlet", gateway: "gw-test") }

    func configuration(_ change: (inout MQTTConfiguration) -> Void = { _ in }) -> MQTTConfiguration {
        var configuration = MQTTConfiguration()
        configuration.host = "127.0.0.1"
        configuration.port = port
        configuration.historyRowsPerSecond = 0
        configuration.reconnectDelay = .milliseconds(20)...(.milliseconds(200))
        change(&configuration)
        return configuration
    }

    /// Hands over readings of four sensors in turn, each with a new temperature.
    func append(_ count: Int, at stamp: TimeStamp? = nil) {
        let stamp = stamp ?? clock.stamp()
        let first = appended.withLock { appended in
            defer { appended += count }
            return appended
        }
        journal.append(
            (first..<(first + count)).map { index in
                Sample.temperature(Int16(truncatingIfNeeded: index % 10_000), device: "sensor-\(index % 4)", at: stamp)
            })
    }
}
