// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import CoreBluetooth
import Foundation
import Logging
import Testing
import VirtualRadio

@testable import Configuration
@testable import Gateway
@testable import GatewayBench

@Suite("The gateway's policy of pairing")
struct PairingPolicyTests {
    /// The library's default would let strangers in.
    @Test("is the gateway's own from the beginning to the end", .timeLimit(.minutes(5)))
    func life() async throws {
        let (folder, radio) = (try TestFolder(), VirtualRadio(seed: 6))
        defer { radio.stop() }
        let configuration = try GatewayConfiguration.parse(
            """
            [bluetooth]
            controller = "virtual"
            state_directory = "\(folder.path)"
            [journal]
            path = "\(folder.path("journal.db"))"
            [clock]
            require_sync = false
            [control]
            socket = "\(folder.path("control.sock"))"
            [[sensor]]
            id = "thermo"
            address = "C4:7C:8D:00:11:22"
            """, gateway: "gw-test")
        let transport = try radio.makeController(address: DeviceAddress(kind: .public, value: 0x02_0000_0000_01))
        let service = try GatewayService(
            configuration, transport: .descriptor(transport),
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        let controller = service.controller
        #expect(controller.pairingPolicy == .neverByItself)
        service.start()
        let isSet = await eventually { controller.pairingPolicy != .neverByItself }
        #expect(isSet && controller.pairingPolicy.incoming == .open && !controller.pairingPolicy.admitsCentrals)
        #expect(!controller.pairingPolicy.pairsOnDemand)
        // Another device may not claim the address of an entry.
        #expect(controller.pairingPolicy.reservedAddresses == ["C4:7C:8D:00:11:22"])
        service.stop()
        #expect(controller.pairingPolicy == .neverByItself)
    }
}
