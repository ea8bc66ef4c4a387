// SPDX-License-Identifier: Apache-2.0

import CoreBluetooth
import Foundation
import Testing
import TestSupport

@testable import CoreBluetoothPrograms

private let serviceUUID = CBUUID(string: "7A1C0001-6F0E-4C55-9C7D-2B0F3E8D4A21")
private let secretUUID = CBUUID(string: "7A1C0002-6F0E-4C55-9C7D-2B0F3E8D4A21")

/// One policy and agent for peers that connect to us, and another pair for peers to which we connect.
@Suite(.timeLimit(.minutes(10)))
struct PairingRoleTests {
    /// Records its questions and reports; gives only the answers of `answers`.
    private final class Screen: CBPairingAgent, @unchecked Sendable {
        let queue = DispatchQueue(label: "screen")
        private var requests: [CBPairingRequest] = []
        private var results: [Result<CBBond, CBPairingError>] = []
        private let enters: (() -> String?)?

        init(enters: (() -> String?)? = nil) { self.enters = enters }

        var shown: [String] {
            queue.sync {
                requests.compactMap { if case .display(let passkey) = $0.kind { passkey } else { nil } }
            }
        }
        var hears: Int { queue.sync { requests.count + results.count } }
        var failures: [CBPairingError.Code] {
            queue.sync { results.compactMap { if case .failure(let error) = $0 { error.code } else { nil } } }
        }

        func controller(_ controller: CBController, didReceive request: CBPairingRequest) {
            requests.append(request)
            guard request.kind == .enterPasskey, let digits = enters?(), let passkey = CBPasskey(digits) else { return }
            request.respond(with: .passkey(passkey))
        }

        func controller(
            _ controller: CBController, didEndPairingWith peer: CBPeer, result: Result<CBBond, CBPairingError>
        ) {
            results.append(result)
        }
    }

    /// A gateway with a value for owners, and a connected phone.
    private final class Pair {
        let phone: Application
        let gateway: PeripheralApplication
        let manager: CBPeripheralManager
        let phoneManager: CBCentralManager
        let remote: CBPeripheral
        let secret: CBCharacteristic

        init(prepare: (Application, PeripheralApplication) -> Void) async throws {
            phone = try Application()
            gateway = try PeripheralApplication(on: phone.radio)
            prepare(phone, gateway)
            manager = try await gateway.makeManager()
            let service = CBMutableService(type: serviceUUID, primary: true)
            service.characteristics = [
                CBMutableCharacteristic(
                    type: secretUUID, properties: .read, value: Data([42]),
                    permissions: [
                        .readable, .readEncryptionRequired, .authenticationRequired, .secureConnectionsRequired,
                    ])
            ]
            try await gateway.publish(service, with: manager)
            manager.startAdvertising([CBAdvertisementDataServiceUUIDsKey: [serviceUUID]])
            try await gateway.hears("advertising")
            phoneManager = try await phone.makeManager()
            remote = try await phone.connect(with: phoneManager)
            secret = try await phone.find(secretUUID, on: remote)
        }

        func read() async throws -> Data? { try await remote.value(for: secret, timeout: .seconds(20)) }
    }

    private static func window(_ digits: String?) -> CBPairingPolicy {
        var policy = CBPairingPolicy()
        policy.incoming = .open
        policy.capability = .display
        policy.models = [.passkeyEntry]
        policy.requiresAuthentication = true
        policy.replacement = .unlessWeaker
        policy.nextPasskey = digits.flatMap { CBPasskey($0) }
        return policy
    }

    private static func keypad(_ phone: Application, _ agent: Screen) {
        phone.controller.pairingPolicy.capability = .keyboardAndDisplay
        phone.controller.setPairingAgent(agent, queue: agent.queue)
    }

    @Test func `a phone pairs with the digits of the policy, and the collector's agent never hears of it`() async throws
    {
        let (collector, window, keypad) = (Screen(), Screen(), Screen { "019655" })
        let pair = try await Pair { phone, gateway in
            // The collector's policy.
            gateway.controller.pairingPolicy.incoming = .open
            gateway.controller.setPairingAgent(collector, queue: collector.queue)
            gateway.controller.setPeripheralPairingAgent(window, queue: window.queue)
            gateway.controller.peripheralPairingPolicy = Self.window("019655")
            Self.keypad(phone, keypad)
        }
        #expect(try await pair.read() == Data([42]))
        #expect(window.shown == ["019655"])
        #expect(collector.hears == 0)
        let bond = try #require(pair.gateway.controller.bonds.first)
        #expect(bond.isAuthenticated && bond.isSecureConnections)

        // The phone wants a new bond, and the digits have been used.
        pair.phone.controller.pairingPolicy.replacement = .unlessWeaker
        let refusal = await #expect(throws: CBPairingError.self) {
            try await pair.phone.controller.pair(pair.remote, timeout: .seconds(20))
        }
        #expect(refusal?.code == .tooManyAttempts)
        #expect(pair.gateway.controller.bonds == [bond] && window.shown.count == 1)

        // A new policy with the same passkey permits one more pairing; the new bond replaces the old.
        pair.gateway.controller.peripheralPairingPolicy = Self.window("019655")
        _ = try await pair.phone.controller.pair(pair.remote, timeout: .seconds(20))
        #expect(window.shown == ["019655", "019655"] && collector.hears == 0)
        #expect(pair.gateway.controller.bonds.count == 1)
    }

    @Test func `an open window for sensors lets no phone in where phones have a policy, or are left out`() async throws
    {
        for isLeftOut in [false, true] {
            let collector = Screen()
            let pair = try await Pair { _, gateway in
                gateway.controller.pairingPolicy.incoming = .open
                gateway.controller.setPairingAgent(collector, queue: collector.queue)
                if isLeftOut {
                    gateway.controller.pairingPolicy.admitsCentrals = false
                } else {
                    gateway.controller.peripheralPairingPolicy = CBPairingPolicy()
                }
            }
            let refusal = await #expect(throws: CBPairingError.self) {
                try await pair.phone.controller.pair(pair.remote, timeout: .seconds(20))
            }
            #expect(refusal?.code == .notSupported)
            #expect(collector.hears == 0 && pair.gateway.controller.bonds.isEmpty)
        }
    }

    @Test func `without a policy of their own the common agent hears of phones, or one that is set for them`()
        async throws
    {
        for hasOwn in [false, true] {
            let (common, own) = (Screen(), Screen())
            let pair = try await Pair { phone, gateway in
                gateway.controller.pairingPolicy.incoming = .open
                gateway.controller.pairingPolicy.capability = .display
                gateway.controller.setPairingAgent(common, queue: common.queue)
                if hasOwn { gateway.controller.setPeripheralPairingAgent(own, queue: own.queue) }
                Self.keypad(phone, Screen())
            }
            let (controller, remote) = (pair.phone.controller, pair.remote)
            let task = Task { try await controller.pair(remote) }
            try await waitFor("digits") { (hasOwn ? own : common).shown.count == 1 }
            #expect((hasOwn ? common : own).hears == 0)
            task.cancel()
            _ = await task.result
        }
    }

    @Test func `a Central that has our data from a QR code pairs by it, and nobody shows digits`() async throws {
        let (window, data) = (Screen(), CBOutOfBandData())
        let pair = try await Pair { _, gateway in
            var policy = Self.window("019655")
            policy.models = [.passkeyEntry, .outOfBand]
            policy.outOfBandData = data
            gateway.controller.setPeripheralPairingAgent(window, queue: window.queue)
            gateway.controller.peripheralPairingPolicy = policy
        }
        let options = CBOutOfBandData().options(
            peerConfirm: data.confirm, random: data.random, temporaryKey: nil, isTold: false)
        let bond = try await pair.phone.controller.pair(pair.remote, options: options, timeout: .seconds(20))
        #expect(bond.isAuthenticated && window.shown.isEmpty)
        #expect(try await pair.read() == Data([42]))
    }
}
