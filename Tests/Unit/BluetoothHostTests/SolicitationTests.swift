// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import BluetoothHost
import Testing
import VirtualRadio

@testable import HostBench

struct SolicitationTests {
    private static let heartRate = BluetoothUUID(UInt16(0x180D))

    /// Service Solicitation UUIDs of 16 bits. Core Supplement, Part A, 1.10.
    @Test(arguments: [(UInt8(0x14), true), (0x03, false)])
    func `a device that looks for a service is found by those who have it`(type: UInt8, isSolicitation: Bool) {
        let duet = Duet(ControllerSettings(), ControllerSettings())
        duet.advertise(AdvertisingDemand(data: [2, 1, 6, 3, type, 0x0D, 0x18]))
        duet.scan(ScanDemand(services: [], solicitedServices: [Self.heartRate]))
        duet.run(for: .seconds(5))
        #expect(duet.b.advertisements.isEmpty != isSolicitation)
    }
}
