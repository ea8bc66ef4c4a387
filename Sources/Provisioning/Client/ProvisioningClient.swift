// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import CoreBluetooth
import Foundation
import Gateway
import Synchronization

/// Sets a gateway up over the air, as a phone does: docs/provisioning-protocol.md.
///
/// ```swift
/// let finder = GatewayFinder(controller: controller)
/// let client = ProvisioningClient(try await finder.gateway(called: "attic", within: .seconds(10)), controller)
/// try await client.open { trouble in trouble == nil ? passkey : nil }
/// try await client.setBroker(broker)
/// try await client.apply { print($0.step) }
/// ```
///
/// Requests go over the air one at a time, in the order of their calls. After a lost connection, requests throw an
/// error of the kind `linkLost`. ``connect()`` restores the connection; ``apply(_:)`` and
/// ``uploadAuthority(_:progress:)`` restore it by themselves.
package final class ProvisioningClient: Sendable {
    /// Time limits for the connection and for each answer.
    package struct Patience: Sendable {
        package var connection: Duration = .seconds(20)
        package var answer: Duration = .seconds(20)
        /// Beyond the time that the gateway announces for a step.
        package var silence: Duration = .seconds(60)
        /// Attempts in a row to restore a lost connection.
        package var attempts = 6

        package init() {}
    }

    package let gateway: FoundGateway
    let controller: CBController
    let patience: Patience
    let agent = PasskeyAgent()
    private let turns = Turnstile()
    private let characteristics = Mutex<[ProvisioningTable.Item: CBCharacteristic]>([:])

    package init(_ gateway: FoundGateway, _ controller: CBController, patience: Patience = Patience()) {
        self.gateway = gateway
        self.controller = controller
        self.patience = patience
        var policy = controller.pairingPolicy
        policy.capability = .keyboard
        policy.requiresAuthentication = true
        // `authenticate` handles refusals, because it gets the passkey before pairing begins.
        policy.pairsOnDemand = false
        controller.pairingPolicy = policy
        controller.setPairingAgent(agent, queue: agent.queue)
    }

    var peripheral: CBPeripheral { gateway.peripheral }

    /// This machine has a bond with the gateway.
    package var isBonded: Bool { controller.bonds.contains { $0.identifier == peripheral.identifier } }

    /// Connects, finds the service, and checks that both sides speak the same version of the protocol.
    package func connect() async throws(ProvisioningClientError) {
        // With a bad radio, connections often end with their first packets.
        for _ in 1..<3 {
            do {
                return try await connectOnce()
            } catch {
                guard error.isLinkLost, !Task.isCancelled else { throw error }
            }
        }
        try await connectOnce()
    }

    private func connectOnce() async throws(ProvisioningClientError) {
        let end = Task.immediate { [peripheral] () -> CBError.Code? in
            for await update in peripheral.connectionUpdates {
                if case .disconnected(let error, _) = update { return (error as? CBError)?.code }
            }
            return nil
        }
        defer { end.cancel() }
        do throws(ProvisioningClientError) {
            do {
                try await peripheral.connect(timeout: patience.connection)
            } catch {
                let name = Self.plain(gateway.name ?? gateway.address)
                throw ProvisioningClientError(
                    .unreachable, "\(name) does not answer: go nearer, see that it has power, and try again.")
            }
            try await discover()
            let version = try await read(.protocolVersion)
            guard version == ProvisioningTable.version else {
                throw ProvisioningClientError(
                    .version,
                    "The gateway speaks version \(Self.plain(version)) of the protocol, this program version "
                        + "\(ProvisioningTable.version): update the older of the two.")
            }
        } catch {
            guard error.isLinkLost else { throw error }
            await disconnect()
            // The connection uses the keys of a bond from its first moment. Only the end of the connection tells why
            // the keys failed.
            throw await end.value == .peerRemovedPairingInformation ? .bondLost : error
        }
    }

    package func disconnect() async { try? await peripheral.disconnect(timeout: .seconds(5)) }

    private func discover() async throws(ProvisioningClientError) {
        let found: [CBCharacteristic]
        do {
            let uuids = [ProvisioningTable.service.coreBluetooth]
            guard let service = try await peripheral.services(withUUIDs: uuids, timeout: patience.answer).first else {
                throw ProvisioningClientError(
                    .notAGateway, "\(gateway.address) has no configuration service: it is no Martlet gateway.")
            }
            found = try await peripheral.characteristics(in: service, timeout: patience.answer)
        } catch let error as ProvisioningClientError {
            throw error
        } catch let error as CBError {
            throw ProvisioningClientError(error, doing: "Looking for the configuration service")
        } catch {
            throw ProvisioningClientError(.notAGateway, error.localizedDescription)
        }
        characteristics.withLock { characteristics in
            characteristics = [:]
            for item in ProvisioningTable.Item.allCases {
                characteristics[item] = found.first { $0.uuid == item.uuid.coreBluetooth }
            }
        }
    }

    func characteristic(_ item: ProvisioningTable.Item) throws(ProvisioningClientError) -> CBCharacteristic {
        guard let characteristic = characteristics.withLock({ $0[item] }) else {
            guard peripheral.state == .connected else {
                throw ProvisioningClientError(CBError(.notConnected), doing: item.userDescription)
            }
            throw ProvisioningClientError(CBATTError(.attributeNotFound), of: item)
        }
        return characteristic
    }

    // MARK: Requests

    /// A value as text.
    package func read(_ item: ProvisioningTable.Item) async throws(ProvisioningClientError) -> String {
        let characteristic = try characteristic(item)
        do {
            return try await turns.enter { [peripheral, patience] in
                let octets = try await peripheral.value(for: characteristic, timeout: patience.answer)
                return String(decoding: octets, as: UTF8.self)
            }
        } catch {
            throw ProvisioningClientError(error, of: item)
        }
    }

    /// Writes a value. If the gateway refuses the value, the error has the gateway's words.
    package func write(
        octets: [UInt8], to item: ProvisioningTable.Item
    ) async throws(ProvisioningClientError) {
        let characteristic = try characteristic(item)
        let explanation = try? self.characteristic(.lastError)
        let data = Data(octets)
        do {
            try await turns.enter { [peripheral, patience] () async throws -> Void in
                do {
                    try await peripheral.write(data, for: characteristic, timeout: patience.answer)
                } catch let refusal as CBATTError {
                    // In the same turn, because the next refusal replaces the words.
                    guard ProvisioningErrorCode(rawValue: UInt8(clamping: refusal.code.rawValue)) != nil,
                        let explanation,
                        let words = try? await peripheral.value(for: explanation, timeout: patience.answer)
                    else { throw refusal }
                    let text = Self.plain(String(decoding: words, as: UTF8.self))
                    throw ProvisioningClientError(refusal, of: item, words: text.isEmpty ? nil : text)
                }
            }
        } catch {
            throw ProvisioningClientError(error, of: item)
        }
    }

    package func write(_ text: String, to item: ProvisioningTable.Item) async throws(ProvisioningClientError) {
        try await write(octets: Array(text.utf8), to: item)
    }

    func write(json message: some Encodable, to item: ProvisioningTable.Item) async throws(ProvisioningClientError) {
        let octets: [UInt8]
        do {
            octets = try ControlCoding.encode(message)
        } catch {
            throw ProvisioningClientError(.notValid, "\(item.userDescription): \(error)")
        }
        guard octets.count <= 512 else {
            throw ProvisioningClientError(.notValid, "\(item.userDescription): the values are too long")
        }
        try await write(octets: octets, to: item)
    }

    func read<Message: Decodable>(
        _ item: ProvisioningTable.Item, as type: Message.Type
    ) async throws(ProvisioningClientError) -> Message {
        let text = try await read(item)
        guard let message = Self.decode(type, from: text) else {
            throw ProvisioningClientError(.malformed, "\(item.userDescription): the gateway's answer makes no sense")
        }
        return message
    }

    static func decode<Message: Decodable>(_ type: Message.Type, from text: String) -> Message? {
        try? ControlCoding.decode(type, from: Array(text.utf8))
    }

    /// Text from the air for a terminal: no control characters, and a limited length.
    package static func plain(_ text: String) -> String {
        var plain = ""
        for scalar in text.unicodeScalars.prefix(512) {
            let category = scalar.properties.generalCategory
            plain.unicodeScalars.append(category == .control || category == .format ? "?" : scalar)
        }
        return plain
    }

    // MARK: A lost connection

    /// Runs `body`, and repeats it after each restored connection. `body` reports progress with `progressed`: only
    /// losses without progress in between count.
    func withReconnection<Value: Sendable>(
        _ body: (_ progressed: () -> Void) async throws(ProvisioningClientError) -> Value
    ) async throws(ProvisioningClientError) -> Value {
        var losses = 0
        while true {
            do {
                return try await body { losses = 0 }
            } catch {
                guard error.isLinkLost, losses < patience.attempts, !Task.isCancelled else { throw error }
            }
            while true {
                losses += 1
                do {
                    await disconnect()
                    try await connect()
                    break
                } catch {
                    let mayComeBack = error.isLinkLost || error.kind == .unreachable
                    guard mayComeBack, losses < patience.attempts, !Task.isCancelled else { throw error }
                }
            }
        }
    }
}

extension BluetoothUUID {
    var coreBluetooth: CBUUID { CBUUID(string: description) }
}

/// Admits one request at a time, in the order of arrival.
actor Turnstile {
    private var isTaken = false
    private var waiting: [CheckedContinuation<Void, Never>] = []

    func enter<Value: Sendable>(_ body: @Sendable () async throws -> Value) async throws -> Value {
        if isTaken {
            await withCheckedContinuation { waiting.append($0) }
        } else {
            isTaken = true
        }
        defer { leave() }
        return try await body()
    }

    private func leave() {
        if waiting.isEmpty {
            isTaken = false
        } else {
            waiting.removeFirst().resume()
        }
    }
}
