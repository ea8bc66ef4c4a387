// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import CoreBluetooth
import Foundation
import Readings
import Testing
import VirtualRadio

@testable import Collector
@testable import GatewayBench

/// A gateway, and a sensor whose service includes two others and answers oddly to the search for them.
@Suite(.timeLimit(.minutes(10)))
struct OddIncludedServicesTests {
    static let rows: [(SensorOddity?, found: Int?)] = [
        (nil, 2), (.reverses(.includedServices), 2), (.strays(.includedServices), 0), (.empties(.includedServices), 0),
        (.goesRound(.includedServices), 2), (.repeats(.includedServices), 2), (.doubles(.includedServices), 2),
        (.refuses(.includedServices, error: 0x0E), 0), (.hangsUp(.includedServices), nil),
    ]

    /// Another client of the gateway's controller asks on the collector's link.
    @Test(arguments: rows)
    func `values come from a sensor with odd included services, also while a client asks for these`(
        oddity: SensorOddity?, found: Int?
    ) async throws {
        var rule = SensorRule()
        (rule.id, rule.name) = ("odd", "Odd")
        rule.subscribe = [
            .init(service: BluetoothUUID(0x181A as UInt16), characteristic: BluetoothUUID(0x2A6E as UInt16))
        ]
        let scene = try WhyScene([rule])
        scene.addEnvironment("Odd", at: 1, Set([.includesServices] + (oddity.map { [$0] } ?? [])))
        func readings() -> Int { scene.status("odd")?.readings ?? 0 }
        try await waitFor("a value: \(scene.log)") { readings() > 0 }
        let identifier = try #require(UUID(uuidString: scene.status("odd")?.identifier ?? ""))
        let manager = CBCentralManager(
            delegate: nil, queue: DispatchQueue(label: "test.included"),
            options: [CBCentralManagerOptionControllerKey: scene.controller])
        try await manager.waitUntilPoweredOn(timeout: .seconds(60))
        let peripheral = try #require(manager.retrievePeripherals(withIdentifiers: [identifier]).first)
        try await peripheral.connect(timeout: .seconds(60))
        let service = try #require(try await peripheral.services(withUUIDs: [CBUUID(string: "181A")]).first)
        let included = try? await peripheral.includedServices(in: service)
        #expect(included?.count == found)
        if found == 2 { #expect(Set(included?.map(\.uuid.uuidString) ?? []) == ["180F", "180A"]) }
        let seen = readings()
        try await waitFor("further values: \(scene.log)") { readings() > seen }
    }
}
