// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Foundation
import NetworkControl
import Synchronization
import Testing
import TestSupport

@testable import Collector
@testable import CoreBluetooth
@testable import Gateway
@testable import Provisioning

/// The manager's requests, without a radio: parts of values, and requests that no honest central sends.
@Suite(.timeLimit(.minutes(10)))
struct ServiceRequestTests {
    /// Hands one central's requests to the service, as the manager does.
    private final class Desk {
        let bench: ServiceBench
        let central: CBCentral
        let manager: CBPeripheralManager

        init(_ number: UInt64 = 1, bench: ServiceBench? = nil) async throws {
            self.bench = try bench ?? ServiceBench()
            central = CBCentral(address: DeviceAddress(kind: .public, value: number), identifier: UUID())
            manager = try #require(self.bench.service.state.withLock { $0.manager })
            // When the controller comes, everything begins anew.
            let service = self.bench.service
            try await waitFor("the service") { service.state.withLock { $0.isPublished } }
        }

        private func request(_ item: ProvisioningTable.Item, _ offset: Int, _ value: [UInt8]?) throws -> CBATTRequest {
            CBATTRequest(
                central: central, characteristic: try #require(bench.service.table[item]), offset: offset,
                value: value.map { Data($0) }, transaction: nil)
        }

        private func wait() async throws {
            try await waitFor("an answer") { bench.service.state.withLock { $0.requests } == 0 }
        }

        /// The value; nil after a refusal.
        func read(_ item: ProvisioningTable.Item, offset: Int = 0) async throws -> String? {
            let request = try request(item, offset, nil)
            bench.service.peripheralManager(manager, didReceiveRead: request)
            try await wait()
            return request.value.map { String(decoding: $0, as: UTF8.self) }
        }

        /// The reason of the refusal; empty after a success.
        func write(_ parts: [(ProvisioningTable.Item, Int, [UInt8])]) async throws -> String {
            let requests = try parts.map { try request($0.0, $0.1, $0.2) }
            bench.service.peripheralManager(manager, didReceiveWrite: requests)
            try await wait()
            return bench.service.meet(central) { $0.lastError }.result
        }

        func write(_ text: String, to item: ProvisioningTable.Item) async throws -> String {
            try await write([(item, 0, Array(text.utf8))])
        }

        var staged: StagedChanges {
            bench.service.state.withLock { $0.staging.changes(of: central.identifier.uuidString) }
        }
    }

    @Test func `the parts of a long read are of one value`() async throws {
        let desk = try await Desk()
        func hear(_ names: [String]) {
            desk.bench.operations.state.withLock {
                $0.sensors = names.enumerated().map {
                    HeardSensor(address: "C4:7C:8D:00:11:0\($0.offset)", name: $0.element)
                }
            }
        }
        hear(["first", "second"])
        let whole = try #require(try await desk.read(.sensors))
        #expect(whole.split(separator: "\n").count == 2)
        hear(["another"])
        #expect(try await desk.read(.sensors, offset: 22) == String(whole.dropFirst(22)))
        #expect(try await desk.read(.sensors, offset: whole.utf8.count) == "")
        #expect(try await desk.read(.sensors, offset: whole.utf8.count + 1) == nil)
        #expect(try await desk.read(.sensors)?.contains("another") == true)
        // A part without a beginning comes from the present value.
        #expect(try await Desk(2, bench: desk.bench).read(.model, offset: 8) == "on a bench")
        #expect(try await Desk(3, bench: desk.bench).read(.model, offset: 19) == nil)
    }

    @Test func `values of many lines are cut at a line, and at 512 octets`() async throws {
        let desk = try await Desk()
        desk.bench.operations.state.withLock {
            $0.sensors = (0..<256).map { number in
                HeardSensor(address: "C4:7C:8D:00:11:22", name: String(repeating: "\u{1}\"\\ä", count: 300 - number))
            }
            $0.lines = (0..<100).map { "line \($0) " + String(repeating: "x", count: 50) + "\n" }
        }
        let sensors = try #require(try await desk.read(.sensors))
        #expect((1...512).contains(sensors.utf8.count) && sensors.hasSuffix("}\n"))
        let log = try #require(try await desk.read(.log))
        #expect((400...512).contains(log.utf8.count))
        #expect(log.hasPrefix("line ") && log.split(separator: "\n").last?.hasPrefix("line 99 ") == true)
    }

    @Test func `parts of a value are put together, all of them or none`() async throws {
        let desk = try await Desk()
        let text = Array(#"{"ssid":"Attic","password":"correct horse"}"#.utf8)
        let parts = stride(from: 0, to: text.count, by: 18).map {
            (ProvisioningTable.Item.wireless, $0, Array(text[$0..<min(text.count, $0 + 18)]))
        }
        #expect(try await desk.write(parts) == "")
        #expect(desk.staged.wireless == .join(WirelessSettings(ssid: "Attic", password: "correct horse")))
        for bad in [
            [parts[0], parts[2]], [parts[1], parts[0], parts[2]], [parts[0], parts[0]], [parts[2]],
            [parts[0], (.wireless, 10, [1])], [(.wireless, .max, [1])], [(.wireless, 0, []), (.wireless, 1, [1])],
        ] {
            #expect(try await !desk.write(bad).isEmpty, "\(bad)")
        }
        #expect(desk.staged.wireless == .join(WirelessSettings(ssid: "Attic", password: "correct horse")))
        // Without the gap, or without the overlap, the parts would form a value.
        for offset in [0, 1, 3, .max] {
            #expect(try await !desk.write([(.name, 0, [65, 66]), (.name, offset, [67])]).isEmpty, "\(offset)")
        }
        #expect(desk.staged.name == nil)
        let tooLong = (0..<3).map { (ProvisioningTable.Item.name, $0 * 200, [UInt8](repeating: 65, count: 200)) }
        #expect(try await desk.write(tooLong).contains("512"))
    }

    @Test func `several settings in one write are taken together, or none of them`() async throws {
        let desk = try await Desk()
        let good = Array(#"{"host":"b"}"#.utf8)
        #expect(try await !desk.write([(.broker, 0, good), (.country, 0, [65])]).isEmpty)
        #expect(desk.staged.isEmpty)
        #expect(try await desk.write([(.broker, 0, good), (.country, 0, [68, 69]), (.name, 0, [65])]) == "")
        #expect(desk.staged.broker.host == "b" && desk.staged.country == "DE" && desk.staged.name == "A")
        // An action is no setting.
        #expect(try await !desk.write([(.name, 0, [66]), (.apply, 0, Array("apply".utf8))]).isEmpty)
        #expect(try await !desk.write([(.rollBack, 0, Array("staged".utf8)), (.identify, 0, [1])]).isEmpty)
        #expect(desk.staged.name == "A" && desk.bench.network.calls.allSatisfy { $0.hasPrefix("settle") })
    }

    @Test func `whatever is written, nothing is done that was not meant`() async throws {
        let desk = try await Desk()
        var octets: [[UInt8]] = [
            [], [0], [0xFF, 0xFE], Array(repeating: 0x5B, count: 512), Array(repeating: 0x7B, count: 512),
            Array("APPLY".utf8), Array("apply\0".utf8), Array("apply ".utf8), Array("erase everything!".utf8),
            Array("null".utf8), Array("{}".utf8), Array("[]".utf8), Array("1e999".utf8),
            Array(#"{"address":"C4:7C:8D:00:11"}"#.utf8), Array(#"{"address":"C4:7C:8D:00:11:2ä"}"#.utf8),
            Array(#"{"address":"C4:7C:8D:00:11:22","passkey":"12345"}"#.utf8),
            Array(#"{"address":"C4:7C:8D:00:11:22","passkey":"１２３４５６"}"#.utf8),
            Array(#"{"address":["C4:7C:8D:00:11:22"]}"#.utf8), Array("2026-02-30T00:00:00Z".utf8),
            Array("9999-12-31T23:59:60Z".utf8), Array("2026-06-30T21:40:12+02:00".utf8),
            Array(#"{"size":99999999999999999999}"#.utf8), Array(#"{"size":1,"sha256":"\u0000"}"#.utf8),
        ]
        octets += [513, 2_000].map { [UInt8](repeating: 65, count: $0) }
        for item in ProvisioningTable.Item.allCases where item != .identify && item != .forgetSensor {
            for value in octets {
                let text = String(validating: value, as: UTF8.self) ?? ""
                let isRight = item == .name && (1...32).contains(text.count) && PlainText.isPlain(text)
                let refused = try await !desk.write([(item, 0, value)]).isEmpty
                #expect(refused != isRight, "\(item) \(value.prefix(30))")
            }
        }
        #expect(desk.bench.operations.calls.isEmpty)
        #expect(desk.bench.network.calls.allSatisfy { $0.hasPrefix("settle") })
        #expect(desk.bench.service.state.withLock { $0.phones.count } == 1)
    }

    @Test func `hundreds of writes and of centrals leave nothing behind`() async throws {
        let bench = try ServiceBench()
        for number in 0..<300 as Range<UInt64> {
            let desk = try await Desk(number + 1, bench: bench)
            _ = try await desk.read(.model)
            #expect(bench.service.state.withLock { $0.phones.count } == 1)
        }
        let desk = try await Desk(1_000, bench: bench)
        for number in 0..<500 { #expect(try await desk.write("Gateway \(number)", to: .name) == "") }
        #expect(bench.service.state.withLock { $0.requests } == 0 && desk.staged.name == "Gateway 499")
    }

    @Test func `more requests than can be worked on are refused, and one that hangs is answered`() async throws {
        let stuck = Mutex<[CheckedContinuation<Void, Never>]>([])
        let operations = BenchOperations { call in
            guard call == "before clock" else { return }
            await withCheckedContinuation { wait in stuck.withLock { $0.append(wait) } }
        }
        var limits = ServiceBench.limits
        limits.requests = 3
        limits.answer = .milliseconds(20)
        let bench = try ServiceBench(operations: operations, limits: limits)
        let desk = try await Desk(bench: bench)
        let characteristic = try #require(bench.service.table[.time])
        func write() {
            let request = CBATTRequest(
                central: desk.central, characteristic: characteristic, offset: 0,
                value: Data("2026-06-30T21:40:12Z".utf8), transaction: nil)
            bench.service.peripheralManager(desk.manager, didReceiveWrite: [request])
        }
        for _ in 0..<5 { write() }
        try await waitFor("three that hang") { stuck.withLock { $0.count } == 3 }
        try await waitFor("the answer") {
            bench.service.meet(desk.central) { $0.lastError }.result.contains("too long")
        }
        #expect(bench.service.state.withLock { $0.requests } == 3)
        for wait in stuck.withLock({ $0 }) { wait.resume() }
        try await waitFor("room") { bench.service.state.withLock { $0.requests } == 0 }
        #expect(operations.calls.filter { $0 == "clock" }.count == 3)
    }

    @Test func `a sensor that was paired with its passkey is no owner`() async throws {
        let desk = try await Desk()
        desk.bench.operations.state.withLock {
            $0.bonds = [
                BondStatus(
                    device: "attic", address: desk.central.identifier.uuidString, identifier: "", authenticated: true,
                    secureConnections: true, keySize: 16, central: true, since: "")
            ]
        }
        #expect(try await desk.read(.broker) == nil)
        #expect(try await desk.read(.window) == nil)
        #expect(try await desk.write("apply", to: .apply).contains("one of the gateway's sensors"))
        #expect(try await desk.write("Mine", to: .name).contains("one of the gateway's sensors"))
        #expect(try await desk.read(.name) == "Martlet")
        #expect(desk.staged.isEmpty)
        desk.bench.operations.state.withLock { $0.bonds[0].device = nil }
        #expect(try await desk.read(.broker) != nil)
    }
}
