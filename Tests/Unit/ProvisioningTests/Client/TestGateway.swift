// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import CoreBluetooth
import Foundation
import Gateway
import Testing
import VirtualRadio

@testable import Provisioning

/// A gateway with only the table of the configuration service, and with the test's answers: for tests of clients.
///
/// `@unchecked Sendable`: everything mutable is touched on `queue` only.
final class TestGateway: NSObject, @unchecked Sendable {
    /// The answer to a write: success, or a refusal with these words.
    enum Answer {
        case taken
        case refused(ProvisioningErrorCode, String)
    }

    let radio: VirtualRadio
    let controller: CBController
    private let queue = DispatchQueue(label: "test gateway")
    private let address: DeviceAddress
    private var manager: CBPeripheralManager?
    private var characteristics: [ProvisioningTable.Item: CBMutableCharacteristic] = [:]
    private var values: [ProvisioningTable.Item: String] = [
        .protocolVersion: ProvisioningTable.version, .model: "Martlet 1.0.0 on a bench", .name: "Attic",
        .state: "unprovisioned", .nextStep: "Enter the passkey", .lastError: "", .apply: "",
    ]
    private var writing: [ProvisioningTable.Item: (TestGateway, [UInt8]) -> Answer] = [:]
    private var written: [(item: ProvisioningTable.Item, octets: [UInt8])] = []
    private var pieces: [(characteristic: CBMutableCharacteristic, octets: [UInt8])] = []
    private var subscriptions: [ProvisioningTable.Item] = []
    private var isAdvertising = false

    init(on radio: VirtualRadio, address: UInt64 = 0xB0_0000_0001, name: String = "Attic") throws {
        self.radio = radio
        self.address = DeviceAddress(kind: .public, value: address)
        controller = CBController(
            transport: .descriptor(try radio.makeController(address: self.address)), stateDirectory: nil)
        super.init()
        values[.name] = name
        var policy = CBPairingPolicy()
        policy.requiresAuthentication = true
        policy.incoming = .open
        policy.replacement = .unlessWeaker
        policy.addressPasskeys[ClientScene.address.description] = CBPasskey(ClientScene.passkey)
        controller.pairingPolicy = policy
        queue.sync {
            manager = CBPeripheralManager(
                delegate: self, queue: queue, options: [CBPeripheralManagerOptionControllerKey: controller])
        }
    }

    func end() { controller.shutdown() }

    var isOnAir: Bool { queue.sync { isAdvertising } }
    /// The written values, as text.
    func writes(of item: ProvisioningTable.Item) -> [String] {
        queue.sync { written.filter { $0.item == item }.map { String(decoding: $0.octets, as: UTF8.self) } }
    }
    func subscriptionCount(of item: ProvisioningTable.Item) -> Int {
        queue.sync { subscriptions.count { $0 == item } }
    }

    func set(_ item: ProvisioningTable.Item, _ value: String) { queue.sync { values[item] = value } }
    func on(_ item: ProvisioningTable.Item, _ answer: @escaping (TestGateway, [UInt8]) -> Answer) {
        queue.sync { writing[item] = answer }
    }

    /// For calls within an answer.
    func setNow(_ item: ProvisioningTable.Item, _ value: String) { values[item] = value }
    func value(_ item: ProvisioningTable.Item) -> String { values[item] ?? "" }

    /// Notifies octets in pieces that fit a packet.
    func tellNow(_ item: ProvisioningTable.Item, _ text: String) {
        guard let characteristic = characteristics[item] else { return }
        let size = characteristic.subscribedCentrals?.map(\.maximumUpdateValueLength).min() ?? 20
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            pieces.append((characteristic, Array(rest.prefix(size))))
            rest = rest.dropFirst(size)
        }
        pump()
    }
    func tell(_ item: ProvisioningTable.Item, _ text: String) { queue.sync { tellNow(item, text) } }

    /// The link is lost, as out of range.
    func dropLink() {
        for state in radio.controllerStates() where state.address == address {
            radio.simulateDisconnection(of: state.id)
        }
    }

    /// The gateway leaves the air.
    func vanish() {
        for state in radio.controllerStates() where state.address == address { radio.simulateOutOfRange(state.id) }
    }

    private func pump() {
        while let next = pieces.first {
            guard manager?.updateValue(Data(next.octets), for: next.characteristic, onSubscribedCentrals: nil) == true
            else { return }
            pieces.removeFirst()
        }
    }

    private func item(_ characteristic: CBCharacteristic) -> ProvisioningTable.Item? {
        ProvisioningTable.Item.allCases.first { $0.uuid.coreBluetooth == characteristic.uuid }
    }
}

extension TestGateway: CBPeripheralManagerDelegate {
    func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) {
        guard peripheral.state == .poweredOn, characteristics.isEmpty else { return }
        let service = CBMutableService(type: ProvisioningTable.service.coreBluetooth, primary: true)
        service.characteristics = ProvisioningTable.Item.allCases.map { item in
            var properties: CBCharacteristicProperties = []
            var permissions: CBAttributePermissions = []
            switch item.reading {
            case .nobody: break
            case .everybody: (properties, permissions) = ([.read], [.readable])
            case .owner: (properties, permissions) = ([.read], [.readable, .readEncryptionRequired])
            }
            if item.writing == .owner {
                properties.insert(.write)
                permissions.formUnion([.writeable, .writeEncryptionRequired])
            }
            if item.notifies { properties.insert(.notifyEncryptionRequired) }
            if item.reading == .owner || item.writing == .owner { permissions.insert(.secureConnectionsRequired) }
            let made = CBMutableCharacteristic(
                type: item.uuid.coreBluetooth, properties: properties, value: nil, permissions: permissions)
            characteristics[item] = made
            return made
        }
        peripheral.add(service)
        peripheral.startAdvertising([
            CBAdvertisementDataServiceUUIDsKey: [service.uuid],
            CBAdvertisementDataLocalNameKey: values[.name] ?? "",
        ])
    }

    func peripheralManagerDidStartAdvertising(_ peripheral: CBPeripheralManager, error: (any Error)?) {
        isAdvertising = error == nil
    }

    func peripheralManagerIsReady(toUpdateSubscribers peripheral: CBPeripheralManager) { pump() }

    func peripheralManager(
        _ peripheral: CBPeripheralManager, central: CBCentral, didSubscribeTo characteristic: CBCharacteristic
    ) {
        if let item = item(characteristic) { subscriptions.append(item) }
    }

    func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveRead request: CBATTRequest) {
        let octets = Array((item(request.characteristic).flatMap { values[$0] } ?? "").utf8)
        request.value = Data(octets.dropFirst(request.offset))
        peripheral.respond(to: request, withResult: .success)
    }

    func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveWrite requests: [CBATTRequest]) {
        guard let first = requests.first, let item = item(first.characteristic) else { return }
        let octets = requests.flatMap { [UInt8]($0.value ?? Data()) }
        written.append((item, octets))
        switch writing[item]?(self, octets) ?? .taken {
        case .taken: peripheral.respond(to: first, withResult: .success)
        case .refused(let code, let words):
            values[.lastError] = words
            peripheral.respond(to: first, withResult: CBATTError.Code(rawValue: Int(code.rawValue)) ?? .unlikelyError)
        }
    }
}

/// A phone beside a gateway, in an air of their own.
final class ClientScene: Sendable {
    let radio = VirtualRadio(seed: 17)
    let gateway: TestGateway
    let controller: CBController
    let finder: GatewayFinder

    init() async throws {
        gateway = try TestGateway(on: radio)
        controller = CBController(
            transport: .descriptor(try radio.makeController(address: Self.address)), stateDirectory: nil)
        finder = GatewayFinder(controller: controller)
        try await finder.waitForController(within: .seconds(300))
    }

    deinit {
        controller.shutdown()
        gateway.end()
        radio.stop()
    }

    func client(_ patience: ProvisioningClient.Patience = .init()) async throws -> ProvisioningClient {
        let found = await finder.gateways(within: .seconds(300)) { $0.name != nil }
        let client = ProvisioningClient(try #require(found.first), controller, patience: patience)
        try await client.connect()
        return client
    }

    static let passkey = "019655"
    static let address = DeviceAddress(kind: .public, value: 0xA0_0000_0001)

    /// A client that has paired with the gateway's fixed passkey, as from its label.
    func pairedClient(_ patience: ProvisioningClient.Patience = .init()) async throws -> ProvisioningClient {
        let client = try await client(patience)
        try await client.authenticate { trouble in trouble == nil ? CBPasskey(Self.passkey) : nil }
        return client
    }
}
