// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Foundation
import Testing
import TestSupport
import VirtualRadio

@testable import CoreBluetooth

/// Killed processes.
@Suite(.serialized, .timeLimit(.minutes(10)))
struct RestorationProcessTests {
    private static let service = CBUUID(string: "3F0A0001-77C1-4B0E-8E57-5B9D1E0C2A44")
    private static let value = CBUUID(string: "3F0A0002-77C1-4B0E-8E57-5B9D1E0C2A44")

    private func find(_ manager: CBCentralManager) async throws -> CBPeripheral {
        for await advertisement in manager.advertisements(withServices: [CBUUID(string: "180F")])
        where advertisement.localName == "Probe" { return advertisement.peripheral }
        throw CBError(.connectionTimeout)
    }

    /// The handle of the probe's value, subscribed to.
    private func subscribe(_ observer: Application, _ manager: CBCentralManager) async throws -> (CBPeripheral, UInt16)
    {
        let remote = try await find(manager)
        try await remote.connect()
        let value = try await remote.characteristic(Self.value, in: Self.service)
        #expect(try await remote.value(for: value) == Data("probe".utf8))
        remote.delegate = observer
        remote.setNotifyValue(true, for: value)
        return (remote, value.valueHandle)
    }

    @Test func `a killed process goes on where it was`() async throws {
        let observer = try Application()
        let manager = try await observer.makeManager()
        let directory = try StateDirectory()
        let socket = NSTemporaryDirectory() + "mrp-" + UUID().uuidString.prefix(8)
        try observer.radio.listen(unixPath: socket)
        let sensor = observer.radio.addSensor(
            VirtualSensor.Configuration(
                address: DeviceAddress(kind: .random, value: 0xC000_0000_0001), name: "Sensor 1", kind: .counter,
                rate: 20))

        let first = try RestorationProcess(socket: socket, stateDirectory: directory.path)
        try await first.says("value 3")
        try await first.says("published true")
        try await first.says("advertising true")
        let (remote, handle) = try await subscribe(observer, manager)
        try await first.says("subscribed")
        try await waitFor("what is kept") {
            directory.central?.peripherals.first?.subscriptions.count == 1
                && directory.peripheral?.services.flatMap(\.characteristics).first?.subscribers.count == 1
                && directory.peripheral?.advertisement != nil
        }
        #expect(!first.lines.contains { $0.contains("restores") })
        try await first.kill()
        try await observer.hears("disconnected CBErrorDomain 6")

        let second = try RestorationProcess(socket: socket, stateDirectory: directory.path)
        try await second.says("value 3")
        let lines = second.lines
        let order = ["central restores 1", "central state 5", "connected", "value 1"].map { lines.firstIndex(of: $0) }
        #expect(!order.contains(nil) && order.compactMap { $0 } == order.compactMap { $0 }.sorted())
        let restored = lines.firstIndex(of: "peripheral restores true true 1")
        #expect(restored != nil && restored ?? 0 < lines.firstIndex(of: "peripheral state 5") ?? 0)
        #expect(!lines.contains("subscribes") && !lines.contains("connects") && !lines.contains("published true"))
        let (_, newHandle) = try await subscribe(observer, manager)
        #expect(newHandle == handle)
        try await second.says("subscribed")
        try await second.kill()
        #expect(first.errors.isEmpty && second.errors.isEmpty)
        #expect(observer.radio.violations(of: sensor).isEmpty)
        withExtendedLifetime(remote) {}
    }

    @Test func `no moment of a kill leaves a file that cannot be read`() async throws {
        let radio = VirtualRadio(seed: 23)
        defer { radio.stop() }
        let directory = try StateDirectory()
        let socket = NSTemporaryDirectory() + "mrp-" + UUID().uuidString.prefix(8)
        try radio.listen(unixPath: socket)
        var random = SeededGenerator(seed: 23)
        for round in 1...20 {
            let probe = try RestorationProcess(socket: socket, stateDirectory: directory.path, churns: true)
            if round > 1 {
                try await probe.says("peripheral state 5")
                #expect(probe.lines.contains { $0.hasPrefix("peripheral restores true") }, "round \(round)")
            }
            try await probe.says("churning")
            try await waitFor("the first file") { directory.peripheral?.services.isEmpty == false }
            try await Task.sleep(for: .microseconds(Int.random(in: 0..<60_000, using: &random)))
            try await probe.kill()
            #expect(probe.errors.isEmpty, "round \(round)")
            #expect(directory.peripheral?.services.contains { $0.uuid == Self.service.uuidString } == true)
            #expect(!directory.has("central") || directory.central != nil, "round \(round)")
            let peers = FileManager.default.contents(atPath: directory.path + "/peers.json") ?? Data()
            #expect((try? JSONSerialization.jsonObject(with: peers)) != nil, "round \(round)")
        }
    }
}
