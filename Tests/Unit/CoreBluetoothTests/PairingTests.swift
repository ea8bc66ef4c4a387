// SPDX-License-Identifier: Apache-2.0

import CoreBluetooth
import Foundation
import Testing
import TestSupport

@testable import CoreBluetoothPrograms

private let serviceUUID = CBUUID(string: "7A1C0001-6F0E-4C55-9C7D-2B0F3E8D4A11")
private let secretUUID = CBUUID(string: "7A1C0002-6F0E-4C55-9C7D-2B0F3E8D4A11")
private let tickUUID = CBUUID(string: "7A1C0003-6F0E-4C55-9C7D-2B0F3E8D4A11")

/// Two applications pair over the air.
@Suite(.timeLimit(.minutes(10)))
struct PairingTests {
    /// A connected pair with a protected characteristic; lives as long as this object.
    private final class Pair {
        let central: Application
        let peripheral: PeripheralApplication
        let manager: CBPeripheralManager
        let centralManager: CBCentralManager
        let remote: CBPeripheral
        let secret: CBCharacteristic

        init(
            _ permissions: CBAttributePermissions = [], prepare: (Application, PeripheralApplication) -> Void
        ) async throws {
            central = try Application()
            peripheral = try PeripheralApplication(on: central.radio)
            prepare(central, peripheral)
            manager = try await peripheral.makeManager()
            let service = CBMutableService(type: serviceUUID, primary: true)
            service.characteristics = [
                CBMutableCharacteristic(
                    type: secretUUID, properties: .read, value: Data([42]),
                    permissions: permissions.union([.readable, .readEncryptionRequired])),
                CBMutableCharacteristic(type: tickUUID, properties: .notify, value: nil, permissions: .readable),
            ]
            try await peripheral.publish(service, with: manager)
            manager.startAdvertising([CBAdvertisementDataServiceUUIDsKey: [serviceUUID]])
            try await peripheral.hears("advertising")
            centralManager = try await central.makeManager()
            remote = try await central.connect(with: centralManager)
            secret = try await central.find(secretUUID, on: remote)
        }

        func read() async throws -> Data? { try await remote.value(for: secret, timeout: .seconds(20)) }
    }

    @Test func `a protected value is read after a pairing that nobody asked for`() async throws {
        // Neither side has set anything.
        let pair = try await Pair { _, _ in }
        #expect(pair.central.controller.pairingPolicy == .onDemand)
        #expect(pair.peripheral.controller.pairingPolicy == .onDemand)
        // The delegate knows the connection, and the characteristic is found: nothing is paired yet.
        #expect(pair.central.calls.contains("connected") && pair.central.controller.bonds.isEmpty)
        #expect(pair.peripheral.controller.bonds.isEmpty)
        #expect(try await pair.read() == Data([42]))
        let bond = try #require(pair.central.controller.bonds.first)
        #expect(bond.identifier == pair.remote.identifier && bond.address == pair.remote.address)
        #expect(!bond.isAuthenticated && bond.isSecureConnections && bond.keySize == 16)
        #expect(pair.peripheral.controller.bonds.count == 1)
        #expect(abs(bond.creationDate.timeIntervalSinceNow) < 600)
    }

    @Test func `what other devices start is refused until a window is opened`() async throws {
        let pair = try await Pair { _, peripheral in peripheral.controller.pairingPolicy = CBPairingPolicy() }
        await #expect(throws: (any Error).self) { try await pair.read() }
        #expect(pair.peripheral.controller.bonds.isEmpty && pair.central.controller.bonds.isEmpty)
        let refusal = await #expect(throws: CBPairingError.self) {
            try await pair.central.controller.pair(pair.remote, timeout: .seconds(20))
        }
        #expect(refusal?.code == .notSupported)
        #expect(refusal?.localizedDescription.contains("pairing mode") == true)
        pair.peripheral.controller.pairingPolicy.incoming = .openFor(.seconds(60))
        let bond = try await pair.central.controller.pair(pair.remote, timeout: .seconds(20))
        #expect(pair.central.controller.bonds == [bond])
        await #expect(throws: CBPairingError.self) {
            try await pair.central.controller.pair(pair.remote, timeout: .seconds(20))
        }
    }

    @Test func `a passkey goes from the agent of one side to that of the other`() async throws {
        let pair = try await Pair(.secureConnectionsRequired) { _, _ in }
        let queue = DispatchQueue(label: "screens")
        let screen = PairingScreen(pair.peripheral.controller, capability: .display, queue: queue)
        let keypad = PairingScreen(pair.central.controller, capability: .keyboard, queue: queue)
        queue.sync { screen.openWindow() }
        let controller = pair.central.controller
        let remote = pair.remote
        async let bond = controller.pair(
            remote, options: CBPairingOptions(requiresAuthentication: true), timeout: .seconds(30))
        try await waitFor("digits") { queue.sync { screen.text.count == 6 && keypad.text == "Passkey:" } }
        queue.sync {
            keypad.press("12")
            keypad.press(screen.text)
        }
        #expect(try await bond.isAuthenticated)
        #expect(try await pair.read() == Data([42]))
        try await waitFor("the end") { queue.sync { screen.history.last == "Paired, and safe" } }
    }

    @Test func `digits that differ end the pairing on both sides`() async throws {
        let pair = try await Pair { _, _ in }
        let queue = DispatchQueue(label: "screens")
        let screens = [
            PairingScreen(pair.peripheral.controller, capability: .displayAndConfirmation, queue: queue),
            PairingScreen(pair.central.controller, capability: .keyboardAndDisplay, queue: queue),
        ]
        queue.sync { screens[0].openWindow() }
        let controller = pair.central.controller
        let remote = pair.remote
        async let bond = controller.pair(
            remote, options: CBPairingOptions(requiresAuthentication: true), timeout: .seconds(30))
        try await waitFor("digits") { queue.sync { screens.allSatisfy { $0.text.hasSuffix("?") } } }
        queue.sync {
            #expect(screens[0].text == screens[1].text)
            screens[0].press("no")
        }
        do {
            _ = try await bond
            Issue.record("the pairing was to fail")
        } catch let error as CBPairingError {
            #expect(error.code == .comparisonFailed)
        }
        #expect(pair.central.controller.bonds.isEmpty && pair.peripheral.controller.bonds.isEmpty)
    }

    /// An agent that records its questions.
    private final class Secretary: CBPairingAgent {
        private(set) var requests: [CBPairingRequest] = []
        func controller(_ controller: CBController, didReceive request: CBPairingRequest) { requests.append(request) }
    }

    /// A peripheral has asked for security, and its pairing waits for the central's consent.
    private func pairWaitingForConsent(
        _ secretary: Secretary, on queue: DispatchQueue
    ) async throws -> (pair: Pair, theirs: Task<CBBond, any Error>) {
        let pair = try await Pair { central, _ in
            central.controller.pairingPolicy.incoming = .open
            central.controller.pairingPolicy.pairsOnDemand = false
            central.controller.setPairingAgent(secretary, queue: queue)
        }
        // By its subscription the central is known there.
        pair.remote.setNotifyValue(true, for: try await pair.central.find(tickUUID, on: pair.remote))
        try await waitFor("the central") { pair.peripheral.centrals.count == 1 }
        let (controller, central) = (pair.peripheral.controller, try #require(pair.peripheral.centrals.first))
        let theirs = Task { try await controller.pair(central, timeout: .seconds(60)) }
        try await waitFor("a question") { queue.sync { secretary.requests.count == 1 } }
        return (pair, theirs)
    }

    @Test(arguments: [false, true])
    func `a pairing that is wanted while the device has begun one waits for that, and has its bond`(
        isRefused: Bool
    ) async throws {
        let (secretary, queue) = (Secretary(), DispatchQueue(label: "secretary"))
        let (pair, theirs) = try await pairWaitingForConsent(secretary, on: queue)
        let (controller, remote) = (pair.central.controller, pair.remote)
        pair.peripheral.controller.pairingPolicy.incoming = .open
        let ours = Task.immediate { try await controller.pair(remote, timeout: .seconds(60)) }
        // A cancelled call does not cancel the other side's pairing.
        let givenUp = Task { try await controller.pair(remote, timeout: .milliseconds(1)) }
        await #expect(throws: CBError.self) { try await givenUp.value }
        queue.sync {
            #expect(secretary.requests.count == 1 && secretary.requests[0].isOpen)
            #expect(secretary.requests[0].respond(with: isRefused ? .refuse : .accept))
        }
        let bond = try await ours.value
        #expect(controller.bonds == [bond])
        try await waitFor("the bond of the other side") { pair.peripheral.controller.bonds.count == 1 }
        if isRefused {
            // The other side's pairing ended first. Ours followed, without another question.
            await #expect(throws: CBPairingError.self) { try await theirs.value }
        } else {
            #expect(try await theirs.value.isSecureConnections)
        }
        #expect(queue.sync { secretary.requests.count } == 1)
    }

    @Test func `a bond that is not worth what was wanted is not taken for it`() async throws {
        let (secretary, queue) = (Secretary(), DispatchQueue(label: "secretary"))
        let (pair, theirs) = try await pairWaitingForConsent(secretary, on: queue)
        let (controller, remote) = (pair.central.controller, pair.remote)
        let ours = Task.immediate {
            try await controller.pair(
                remote, options: CBPairingOptions(requiresAuthentication: true), timeout: .seconds(60))
        }
        queue.sync { #expect(secretary.requests[0].respond(with: .accept)) }
        _ = try await theirs.value
        let refusal = await #expect(throws: CBPairingError.self) { try await ours.value }
        // Either pairing may be first: the weaker bond exists, and the policy keeps it.
        #expect(refusal?.code == .alreadyBonded && controller.bonds.map(\.isAuthenticated) == [false])
    }

    @Test(arguments: [CBAttributePermissions.authenticationRequired, .secureConnectionsRequired])
    func `a value for authenticated centrals alone is refused after Just Works`(
        permission: CBAttributePermissions
    ) async throws {
        let pair = try await Pair(permission) { _, peripheral in
            peripheral.controller.pairingPolicy.incoming = .open
        }
        _ = try await pair.central.controller.pair(pair.remote, timeout: .seconds(20))
        await #expect(throws: CBATTError(.insufficientAuthentication)) { try await pair.read() }
    }

    @Test func `a pairing that its task gives up is over, and nobody has a bond`() async throws {
        let pair = try await Pair { _, _ in }
        let queue = DispatchQueue(label: "screens")
        let screen = PairingScreen(pair.peripheral.controller, capability: .display, queue: queue)
        let keypad = PairingScreen(pair.central.controller, capability: .keyboard, queue: queue)
        queue.sync { screen.openWindow() }
        let (controller, remote) = (pair.central.controller, pair.remote)
        let options = CBPairingOptions(requiresAuthentication: true)
        let task = Task { try await controller.pair(remote, options: options) }
        try await waitFor("the question") { queue.sync { keypad.text == "Passkey:" } }
        task.cancel()
        await #expect(throws: CBError(.operationCancelled)) { try await task.value }
        try await waitFor("the end") { queue.sync { screen.history.last?.hasPrefix("Not paired") == true } }
        #expect(controller.bonds.isEmpty && pair.peripheral.controller.bonds.isEmpty)
    }

    @Test func `a side that keeps no keys protects the connection, and no other one`() async throws {
        #expect(CBPairingPolicy().isBonding)
        let pair = try await Pair { central, peripheral in
            central.controller.pairingPolicy.isBonding = false
            peripheral.controller.pairingPolicy.incoming = .open
        }
        let end = await #expect(throws: CBPairingError.self) {
            try await pair.central.controller.pair(pair.remote, timeout: .seconds(20))
        }
        #expect(end?.code == .notBonded)
        #expect(try await pair.read() == Data([42]))
        #expect(pair.central.controller.bonds.isEmpty && pair.peripheral.controller.bonds.isEmpty)
    }

    @Test func `a window is not open after a restart`() throws {
        let directory = NSTemporaryDirectory() + "martlet-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: directory) }
        var application: Application? = try Application(stateDirectory: directory)
        application?.controller.pairingPolicy.incoming = .open
        #expect(application?.controller.pairingPolicy.incoming == .open)
        application = nil
        application = try Application(stateDirectory: directory)
        #expect(application?.controller.pairingPolicy == .onDemand)
    }

    @Test func `passkeys have six digits, and are shown to nobody`() {
        #expect(CBPasskey("019655") != nil && CBPasskey("000000") != nil)
        for text in ["19655", "0196555", "01965a", "", "０19655", "+19655", " 19655"] {
            #expect(CBPasskey(text) == nil, "\(text)")
        }
        var policy = CBPairingPolicy()
        policy.addressPasskeys["C4:7C:8D:00:11:22"] = CBPasskey("019655")
        var dumped = ""
        dump(policy, to: &dumped)
        let texts = ["\(policy)", dumped, String(reflecting: CBPairingOptions(passkey: CBPasskey("019655")))]
        #expect(texts.allSatisfy { !$0.contains("19655") })
    }
}
