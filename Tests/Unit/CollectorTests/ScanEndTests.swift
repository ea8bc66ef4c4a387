// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import CoreBluetooth
import Testing

@testable import Collector
@testable import GatewayBench

/// The times when the collector listens.
@Suite(.ownThread, .timeLimit(.minutes(10)))
struct ScanEndTests {
    @Test func `the scan ends when all configured sensors are found, and begins again for another one`() async throws {
        let rule = PasskeyAttemptTests.rule(nil)
        let scene = try CollectorScene(rule, passkey: nil)
        /// The collector's report and its manager's state; both change together, on the collector's queue.
        func scans() -> [Bool?] {
            scene.collector.queue.sync { [scene.collector.scan.isRunning, scene.collector.manager?.isScanning] }
        }
        let works = await eventually { (scene.status?.readings ?? 0) > 2 }
        try #require(works, "\(scene.log)")
        #expect(scans() == [false, false], "\(scene.log)")
        #expect(!scene.collector.status.scanning)
        var other = rule
        other.id = "other"
        other.address = 0x02_0000_0000_77
        scene.collector.apply([rule, other])
        let looks = await eventually { scans() == [true, true] }
        #expect(looks, "\(scene.log)")
        #expect(scene.collector.status.scanning)
        scene.collector.apply([rule])
        let isOver = await eventually { scans() == [false, false] }
        #expect(isOver, "\(scene.log)")
    }
}
