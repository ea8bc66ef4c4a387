// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import CoreBluetooth
import Dispatch
import Foundation

/// Reads or writes one characteristic of a sensor for a person, on the link that the collector keeps to the sensor. A
/// manager of its own shares this link, so the collection goes on unchanged.
package struct CharacteristicAccess: Sendable {
    package struct Failure: Error {
        package enum Kind: Sendable {
            /// The sensor does not have the characteristic.
            case unknown
            /// The characteristic does not support the request.
            case refused
            case failed
        }

        package let kind: Kind
        package let text: String
    }

    /// The longest value of a characteristic, in octets (Core 5.4, Vol 3, Part F, 3.2.9).
    package static let maximumValue = 512
    /// GAP and GATT: the host alone uses these services.
    private static let hosts: Set<BluetoothUUID> = [
        BluetoothUUID(0x1800 as UInt16), BluetoothUUID(0x1801 as UInt16),
    ]
    /// For each answer of the sensor.
    private static let patience: Duration = .seconds(10)

    private let identifier: UUID
    private let feed: SensorRule.Feed
    private let controller: CBController

    /// - Parameter identifier: A sensor with a link.
    package init(to feed: SensorRule.Feed, of identifier: UUID, by controller: CBController) throws(Failure) {
        guard !Self.hosts.contains(feed.service) else {
            throw Failure(
                kind: .refused,
                text: "the services 1800 and 1801 say how the link works: the gateway alone speaks with them")
        }
        (self.feed, self.identifier, self.controller) = (feed, identifier, controller)
    }

    package func read() async throws(Failure) -> [UInt8] {
        try await onLink { (peripheral, characteristic) async throws(Failure) in
            guard characteristic.properties.contains(.read) else {
                throw Failure(kind: .refused, text: "\(name) cannot be read")
            }
            do {
                return [UInt8](try await peripheral.value(for: characteristic, timeout: Self.patience))
            } catch {
                throw Failure(kind: .failed, text: "the read failed: \(Self.reason(error))")
            }
        }
    }

    /// - Parameters:
    ///   - value: ``maximumValue`` octets at most.
    ///   - wantsResponse: Whether the sensor confirms the write; nil: the characteristic decides, and a response is
    ///     preferred.
    /// - Returns: Whether the sensor has confirmed the write.
    package func write(_ value: [UInt8], wantsResponse: Bool?) async throws(Failure) -> Bool {
        guard value.count <= Self.maximumValue else {
            throw Failure(kind: .refused, text: "a value has \(Self.maximumValue) octets at most")
        }
        return try await onLink { (peripheral, characteristic) async throws(Failure) in
            let type = try writeType(of: characteristic, wantsResponse)
            let room = peripheral.maximumWriteValueLength(for: type)
            guard value.count <= room else {
                throw Failure(
                    kind: .refused,
                    text: "without a response, \(room) octets fit into a packet of this link, not \(value.count)")
            }
            do {
                try await peripheral.write(Data(value), for: characteristic, type: type, timeout: Self.patience)
            } catch {
                throw Failure(kind: .failed, text: "the write failed: \(Self.reason(error))")
            }
            return type == .withResponse
        }
    }

    private func writeType(
        of characteristic: CBCharacteristic, _ wantsResponse: Bool?
    ) throws(Failure) -> CBCharacteristicWriteType {
        let properties = characteristic.properties
        guard properties.contains(.write) || properties.contains(.writeWithoutResponse) else {
            throw Failure(kind: .refused, text: "\(name) cannot be written")
        }
        switch wantsResponse {
        case nil: return properties.contains(.write) ? .withResponse : .withoutResponse
        case true?:
            guard properties.contains(.write) else {
                throw Failure(kind: .refused, text: "\(name) takes writes without a response only")
            }
            return .withResponse
        case false?:
            guard properties.contains(.writeWithoutResponse) else {
                throw Failure(kind: .refused, text: "\(name) takes writes with a response only")
            }
            return .withoutResponse
        }
    }

    // MARK: The link

    private func onLink<Answer: Sendable>(
        _ body: (CBPeripheral, CBCharacteristic) async throws(Failure) -> Answer
    ) async throws(Failure) -> Answer {
        let manager = CBCentralManager(
            delegate: nil, queue: DispatchQueue(label: "martlet.access"),
            options: [CBCentralManagerOptionControllerKey: controller])
        defer { withExtendedLifetime(manager) {} }
        let peripheral: CBPeripheral
        do {
            try await manager.waitUntilPoweredOn(timeout: Self.patience)
            guard let known = manager.retrievePeripherals(withIdentifiers: [identifier]).first else {
                throw CBError(.unknownDevice)
            }
            peripheral = known
            try await peripheral.connect(timeout: Self.patience)
        } catch {
            throw Failure(kind: .failed, text: "its link is gone: \(error.localizedDescription)")
        }
        let answer: Result<Answer, Failure>
        do throws(Failure) {
            answer = .success(try await body(peripheral, try await characteristic(of: peripheral)))
        } catch {
            answer = .failure(error)
        }
        // The collector's wish for the link stays.
        try? await peripheral.disconnect(timeout: .seconds(5))
        return try answer.get()
    }

    private func characteristic(of peripheral: CBPeripheral) async throws(Failure) -> CBCharacteristic {
        var found: [CBCharacteristic] = []
        do {
            for service in try await peripheral.services(withUUIDs: [CBUUID(feed.service)], timeout: Self.patience) {
                found += try await peripheral.characteristics(
                    withUUIDs: [CBUUID(feed.characteristic)], in: service, timeout: Self.patience)
            }
        } catch {
            throw Failure(kind: .failed, text: "the sensor did not list its services: \(Self.reason(error))")
        }
        if feed.instance > 0 {
            guard found.indices.contains(feed.instance - 1) else {
                let text = found.isEmpty ? "no \(plainName)" : "\(found.count) \(plainName), and no \(name)"
                throw Failure(kind: .unknown, text: "the sensor has \(text)")
            }
            return found[feed.instance - 1]
        }
        guard let only = found.first, found.count == 1 else {
            let text =
                found.isEmpty
                ? "the sensor has no \(name)"
                : "the sensor has \(found.count) \(name): say which, \(name)#1 to \(name)#\(found.count)"
            throw Failure(kind: .unknown, text: text)
        }
        return only
    }

    private var plainName: String { "\(feed.plain)".lowercased() }
    private var name: String { "\(feed)".lowercased() }

    /// The sensor's answer, in words if the specification has words for the code (Core 5.4, Vol 3, Part F, 3.4.1.1).
    private static func reason(_ error: any Error) -> String {
        guard let code = (error as? CBATTError)?.code else { return error.localizedDescription }
        let words: String? =
            switch code {
            case .readNotPermitted: "reading is not permitted"
            case .writeNotPermitted: "writing is not permitted"
            case .insufficientAuthentication: "the sensor wants to be paired, perhaps with a passkey"
            case .insufficientAuthorization: "the sensor wants an authorization"
            case .insufficientEncryption, .insufficientEncryptionKeySize: "the sensor wants to be paired"
            case .invalidAttributeValueLength: "the value has the wrong length"
            case .requestNotSupported: "the sensor does not know the request"
            case .insufficientResources: "the sensor has no room at present"
            case .unlikelyError: "an error happened in the sensor"
            default: nil
            }
        let number = "ATT error 0x" + [UInt8(truncatingIfNeeded: code.rawValue)].hexadecimal
        return words.map { "\($0) (\(number))" } ?? "the sensor answers with \(number)"
    }
}
