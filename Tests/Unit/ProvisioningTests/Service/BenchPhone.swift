// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import CoreBluetooth
import Foundation
import Synchronization
import Testing
import TestSupport
import VirtualRadio

@testable import Provisioning

/// A phone in the bench's air: finds the service, pairs with the displayed passkey, reads, writes and subscribes.
final class BenchPhone: Sendable {
    typealias Item = ProvisioningTable.Item

    let controller: CBController
    let manager: CBCentralManager
    private let bench: ServiceBench
    private let found = Mutex<CBPeripheral?>(nil)
    private let told = Mutex<[Item: [String]]>([:])
    private let keypad: Keypad

    /// Enters the gateway's displayed passkey.
    private final class Keypad: CBPairingAgent, Sendable {
        private let digits: @Sendable () async throws -> String
        init(_ digits: @escaping @Sendable () async throws -> String) { self.digits = digits }

        func controller(_ controller: CBController, didReceive request: CBPairingRequest) {
            guard request.kind == .enterPasskey else { return }
            Task { [digits] in
                guard let passkey = CBPasskey(try await digits()) else { return }
                request.respond(with: .passkey(passkey))
            }
        }
    }

    init(_ number: UInt64, _ bench: ServiceBench) throws {
        self.bench = bench
        controller = CBController(
            transport: .descriptor(
                try bench.radio.makeController(address: DeviceAddress(kind: .public, value: 0xA0_0000_0000 | number))),
            stateDirectory: nil)
        keypad = Keypad { [weak bench] in try await bench?.shownPasskey() ?? "" }
        controller.setPairingAgent(keypad, queue: DispatchQueue(label: "keypad"))
        var policy = CBPairingPolicy()
        policy.capability = .keyboard
        policy.requiresAuthentication = true
        controller.pairingPolicy = policy
        manager = CBCentralManager(
            delegate: nil, queue: DispatchQueue(label: "phone"),
            options: [CBCentralManagerOptionControllerKey: controller])
    }

    deinit { controller.shutdown() }

    /// Finds the gateway by its service, and connects.
    func connect() async throws {
        try await manager.waitUntilPoweredOn()
        if found.withLock({ $0 }) == nil {
            let service = CBUUID(of: ProvisioningTable.service)
            let advertisement = await manager.advertisements(withServices: [service]).first { _ in true }
            let peripheral = try #require(advertisement?.peripheral)
            found.withLock { $0 = peripheral }
        }
        try await peripheral.connect(timeout: .seconds(60))
    }

    func disconnect() async throws { try await peripheral.disconnect(timeout: .seconds(60)) }

    var peripheral: CBPeripheral { get throws { try #require(found.withLock { $0 }) } }

    func characteristic(_ item: Item) async throws -> CBCharacteristic {
        try await peripheral.characteristic(CBUUID(of: item.uuid), in: CBUUID(of: ProvisioningTable.service))
    }

    func read(_ item: Item) async throws -> String {
        String(decoding: try await peripheral.value(for: try await characteristic(item)), as: UTF8.self)
    }

    func write(_ text: String, to item: Item) async throws { try await write(Array(text.utf8), to: item) }

    func write(_ octets: [UInt8], to item: Item) async throws {
        try await peripheral.write(Data(octets), for: try await characteristic(item))
    }

    /// The error code of a refused write; nil after a success.
    func refusal(of text: String, to item: Item) async throws -> Int? {
        try await refusal(of: Array(text.utf8), to: item)
    }

    func refusal(of octets: [UInt8], to item: Item) async throws -> Int? {
        do {
            try await write(octets, to: item)
            return nil
        } catch let error as CBATTError {
            return error.errorCode
        }
    }

    /// Pairs as phones do: reads a protected value.
    func pair() async throws { _ = try await read(.country) }

    /// Subscribes, and returns when the gateway knows of the subscription. The notified lines are in ``lines(_:)``.
    func subscribe(_ item: Item) async throws {
        let values = try peripheral.notifications(for: try await characteristic(item))
        Task { [weak self] in
            var rest = ""
            for try await value in values {
                rest += String(decoding: value, as: UTF8.self)
                var lines = rest.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
                rest = lines.removeLast()
                self?.told.withLock { [lines] in $0[item, default: []] += lines }
            }
        }
        let characteristic = try await characteristic(item)
        try await waitFor("a subscription") { characteristic.isNotifying }
        let sender = bench.service.sender
        try await waitFor("the subscriber") { sender.hasSubscribers(item) }
    }

    func lines(_ item: Item) -> [String] { told.withLock { $0[item] ?? [] } }

    func hears(_ item: Item, _ what: String) async throws {
        try await waitFor("\(what) in \(lines(item))") { self.lines(item).contains { $0.contains(what) } }
    }
}
