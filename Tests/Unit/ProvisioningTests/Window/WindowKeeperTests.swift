// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Foundation
import Gateway
import Logging
import Synchronization
import Testing
import TestSupport
import VirtualRadio

@testable import CoreBluetooth
@testable import Provisioning

/// The keeper at a controller, and phones in the same air that enter the test's digits.
@Suite(.timeLimit(.minutes(10)))
struct WindowKeeperTests {
    private static let service = CBUUID(string: "7A1C0001-6F0E-4C55-9C7D-2B0F3E8D4A21")
    private static let secret = CBUUID(string: "7A1C0002-6F0E-4C55-9C7D-2B0F3E8D4A21")

    private final class Passkeys: Sendable {
        private let last = Mutex(0)
        func next() -> String {
            last.withLock { last in
                last += 1
                return "0000\(10 + last)"
            }
        }
    }

    private final class Scene {
        let radio = VirtualRadio(seed: 7)
        let controller: CBController
        let keeper: WindowKeeper
        let lines = LogLines()
        let manager: CBPeripheralManager

        init(label: LabelRecord? = nil, directory: String? = nil) async throws {
            controller = CBController(
                transport: .descriptor(
                    try radio.makeController(address: DeviceAddress(kind: .public, value: 0xB0_0000_0007))),
                stateDirectory: nil)
            let store = directory.map { LabelStore(directory: $0) }
            if let label { try store?.save(label) }
            let (lines, passkeys) = (lines, Passkeys())
            keeper = WindowKeeper(
                isProvisioned: true,
                WindowKeeper.Parts(
                    controller: controller, store: store,
                    monitor: MonitorProbe(connectors: "/nowhere", service: "/nowhere"),
                    makePasskey: { passkeys.next() }),
                logger: Logger(label: "keeper") { _ in lines })
            manager = CBPeripheralManager(
                delegate: nil, queue: DispatchQueue(label: "gateway"),
                options: [CBPeripheralManagerOptionControllerKey: controller])
            keeper.start()
            let manager = manager
            try await waitFor("power") { manager.state == .poweredOn }
            let service = CBMutableService(type: WindowKeeperTests.service, primary: true)
            service.characteristics = [
                CBMutableCharacteristic(
                    type: WindowKeeperTests.secret, properties: .read, value: Data([42]),
                    permissions: [
                        .readable, .readEncryptionRequired, .authenticationRequired, .secureConnectionsRequired,
                    ])
            ]
            manager.add(service)
            manager.startAdvertising([CBAdvertisementDataServiceUUIDsKey: [WindowKeeperTests.service]])
        }

        deinit {
            keeper.stop()
            controller.shutdown()
            radio.stop()
        }

        /// Whether a phone that enters these digits gets in.
        func letsIn(_ number: UInt64, entering digits: String) async throws -> Bool {
            let phone = CBController(
                transport: .descriptor(
                    try radio.makeController(address: DeviceAddress(kind: .public, value: 0xA0_0000_0000 | number))),
                stateDirectory: nil)
            defer { phone.shutdown() }
            let keypad = Keypad(digits)
            phone.setPairingAgent(keypad, queue: DispatchQueue(label: "keypad"))
            phone.pairingPolicy.capability = .keyboard
            phone.pairingPolicy.requiresAuthentication = true
            let central = CBCentralManager(
                delegate: nil, queue: DispatchQueue(label: "phone"),
                options: [CBCentralManagerOptionControllerKey: phone])
            try await central.waitUntilPoweredOn()
            let found = await central.advertisements(withServices: [WindowKeeperTests.service]).first { _ in true }
            let peripheral = try #require(found?.peripheral)
            try await peripheral.connect(timeout: .seconds(60))
            let before = keeper.state
            if before.passkey == .label {
                let keeper = keeper
                try await waitFor("the risk on disk") { keeper.label?.isAtRisk == true }
            }
            let characteristic = try await peripheral.characteristic(
                WindowKeeperTests.secret, in: WindowKeeperTests.service)
            let value = try? await peripheral.value(for: characteristic, timeout: .seconds(60))
            try await peripheral.disconnect(timeout: .seconds(60))
            withExtendedLifetime(keypad) {}
            return value == Data([42])
        }

        func passkey() async throws -> String {
            let keeper = keeper
            try await waitFor("a passkey") { if case .fresh = keeper.state.passkey { true } else { false } }
            guard case .fresh(let digits) = keeper.state.passkey else { return "" }
            return digits
        }
    }

    private final class Keypad: CBPairingAgent, Sendable {
        private let digits: String
        init(_ digits: String) { self.digits = digits }
        func controller(_ controller: CBController, didReceive request: CBPairingRequest) {
            guard request.kind == .enterPasskey, let passkey = CBPasskey(digits) else { return }
            request.respond(with: .passkey(passkey))
        }
    }

    @Test func `the passkey that is shown pairs once, a wrong one does not, and a closed window lets nobody in`()
        async throws
    {
        let scene = try await Scene()
        #expect(try await !scene.letsIn(1, entering: "000011"), "it is closed")
        scene.keeper.addDialogue(compares: false)
        scene.keeper.open(by: .command)
        #expect(scene.controller.peripheralPairingPolicy?.replacement == .unlessWeaker)
        let first = try await scene.passkey()
        #expect(try await scene.letsIn(2, entering: first))
        let keeper = scene.keeper
        try await waitFor("another passkey") { keeper.state.passkey != .fresh(first) }
        #expect(try await !scene.letsIn(3, entering: first), "it was good for one attempt")
        try await waitFor("the failure") { keeper.state.failures == 1 }
        let third = try await scene.passkey()
        #expect(try await scene.letsIn(4, entering: third))
        #expect(scene.controller.bonds.count == 2)
        keeper.close()
        #expect(try await !scene.letsIn(5, entering: third))
        #expect(scene.controller.bonds.count == 2)
        // The collector's side was never touched.
        #expect(scene.controller.pairingPolicy == .onDemand)
        let logged = scene.lines.lines.joined()
        for digits in [first, third] { #expect(!logged.contains(digits)) }
    }

    @Test func `a label that was used stays used after a restart, and failures are kept`() async throws {
        let folder = NSTemporaryDirectory() + UUID().uuidString
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let store = LabelStore(directory: folder)
        do {
            let scene = try await Scene(label: LabelRecord(passkey: Secret("019655")), directory: folder)
            scene.keeper.open(by: .button)
            #expect(try await !scene.letsIn(1, entering: "019654"))
            let keeper = scene.keeper
            try await waitFor("the failure") { keeper.label?.failures == 1 }
            #expect(try await scene.letsIn(2, entering: "019655"))
            try await waitFor("the use") { keeper.label?.condition == .used }
            #expect(!scene.lines.lines.joined().contains("019655"))
        }
        let kept = try #require(try store.load())
        #expect(kept.condition == .used && kept.failures == 1)
        let scene = try await Scene(directory: folder)
        scene.keeper.open(by: .button)
        #expect(try await !scene.letsIn(3, entering: "019655"))
        #expect(scene.controller.bonds.isEmpty)
        guard case .none = scene.keeper.state.passkey else { return #expect(Bool(false)) }
    }

    @Test func `a try that a power cut has ended is counted at the start, on disk`() async throws {
        let folder = NSTemporaryDirectory() + UUID().uuidString
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let label = LabelRecord(passkey: Secret("019655"), failures: 2, isAtRisk: true)
        let scene = try await Scene(label: label, directory: folder)
        #expect(scene.keeper.label?.failures == 3)
        let kept = try LabelStore(directory: folder).load()
        #expect(kept?.failures == 3 && kept?.isAtRisk == false && kept?.condition == .good)
    }

    @Test func `a pairing that nobody makes sure of is refused, and asks nobody`() async throws {
        let scene = try await Scene()
        for kind in [CBPairingRequest.Kind.consent, .enterPasskey] {
            let answers = Mutex<[CBPairingRequest.Answer]>([])
            let peer = CBPeer(address: DeviceAddress(kind: .public, value: 1), identifier: UUID())
            let request = CBPairingRequest(peer: peer, kind: kind, model: .justWorks, isOurs: false) { answer in
                answers.withLock { $0.append(answer) }
            }
            scene.keeper.controller(scene.controller, didReceive: request)
            #expect(answers.withLock { $0 } == [.refuse] && !request.isOpen)
        }
    }

    @Test func `a label's digits admit no phone before the attempt is on disk`() async throws {
        let folder = NSTemporaryDirectory() + UUID().uuidString
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let scene = try await Scene(label: LabelRecord(passkey: Secret("019655")), directory: folder)
        // A file in the folder's place: nothing can be written.
        try FileManager.default.removeItem(atPath: folder)
        try Data().write(to: URL(fileURLWithPath: folder))
        scene.keeper.open(by: .button)
        #expect(scene.keeper.state.passkey == .label)
        scene.keeper.queue.sync { scene.keeper.perform { $0.setHasCentrals(true, at: $1) } }
        let policy = try #require(scene.controller.peripheralPairingPolicy)
        #expect(policy.incoming != .open && policy.nextPasskey == nil)
        #expect(scene.keeper.label?.condition == .void)
    }

    @Test func `the refusal of another phone does not end an attempt`() async throws {
        let scene = try await Scene()
        scene.keeper.addDialogue(compares: false)
        scene.keeper.open(by: .command)
        let digits = try await scene.passkey()
        let phones = (1...2).map {
            CBPeer(address: DeviceAddress(kind: .public, value: UInt64($0)), identifier: UUID())
        }
        let request = CBPairingRequest(
            peer: phones[0], kind: .display(passkey: digits), model: .passkeyEntry, isOurs: false
        ) { _ in }
        func ends(_ phone: CBPeer, _ error: CBPairingError) {
            scene.keeper.queue.sync {
                scene.keeper.controller(scene.controller, didEndPairingWith: phone, result: .failure(error))
            }
        }
        scene.keeper.queue.sync { scene.keeper.controller(scene.controller, didReceive: request) }
        ends(phones[1], CBPairingError(.refused))
        #expect(scene.keeper.state.passkey == .fresh(digits) && scene.keeper.state.failures == 0)
        request.end()
        ends(phones[0], CBPairingError(.passkeyEntryFailed))
        #expect(scene.keeper.state.passkey != .fresh(digits) && scene.keeper.state.failures == 1)
    }
}
