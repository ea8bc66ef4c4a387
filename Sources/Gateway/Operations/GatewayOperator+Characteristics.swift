// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Collector
import Configuration
import Foundation
import Logging
import Operations
import Readings
import Synchronization

extension GatewayOperator {
    /// Reads a characteristic of a sensor with a link. Only the caller gets the value.
    package func read(_ request: CharacteristicRequest) async throws(OperationError) -> CharacteristicValue {
        let feed = try Self.feed(of: request)
        return try await access(feed, of: request.sensor) {
            (access, device) async throws(CharacteristicAccess.Failure) in
            let value = try await access.read()
            let uuid = "\(feed.characteristic)".lowercased()
            let isDecoded = Decoders.decoder(for: uuid) != nil
            return CharacteristicValue(
                sensor: device, characteristic: Self.name(of: feed), value: value.hexadecimal,
                text: isDecoded
                    ? ValueText.of(characteristic: uuid, value: value) : ValueText.string(of: uuid, value: value))
        }
    }

    /// Writes a characteristic of a sensor with a link.
    ///
    /// - Parameters:
    ///   - digits: The value: pairs of hexadecimal digits, 512 at most.
    ///   - wantsResponse: nil for the kind of write that the characteristic supports, preferably with response.
    package func write(
        _ digits: String, to request: CharacteristicRequest, wantsResponse: Bool?
    ) async throws(OperationError) -> CharacteristicWrite {
        let feed = try Self.feed(of: request)
        guard digits.utf8.count <= 3 * CharacteristicAccess.maximumValue, let value = [UInt8](hexadecimal: digits),
            value.count <= CharacteristicAccess.maximumValue
        else {
            throw OperationError(
                .notValid,
                "the value is not of pairs of hexadecimal digits, \(CharacteristicAccess.maximumValue) pairs at most")
        }
        return try await access(feed, of: request.sensor) {
            [gateway] (access, device) async throws(CharacteristicAccess.Failure) in
            let hasResponse = try await access.write(value, wantsResponse: wantsResponse)
            let name = Self.name(of: feed)
            // The value is not logged: it may be a secret, such as a sensor's PIN.
            gateway.logger.notice(
                "a characteristic was written", metadata: ["sensor": "\(device)", "characteristic": "\(name)"])
            return CharacteristicWrite(sensor: device, characteristic: name, response: hasResponse)
        }
    }

    private static func feed(of request: CharacteristicRequest) throws(OperationError) -> SensorRule.Feed {
        do throws(InvalidValue) {
            return try SensorRule.Feed(parsing: "\(request.service.prefix(64))/\(request.characteristic.prefix(64))")
        } catch {
            throw OperationError(.notValid, "the request \(error.reason)")
        }
    }

    /// `2a6e`, or `2a6e#2`.
    private static func name(of feed: SensorRule.Feed) -> String {
        "\(feed.characteristic)".lowercased() + (feed.instance == 0 ? "" : "#\(feed.instance)")
    }

    /// One access to a sensor at a time: a sensor's answer must not be taken for the answer to another client.
    private func access<Answer: Sendable>(
        _ feed: SensorRule.Feed, of sensor: String,
        _ body: @Sendable (CharacteristicAccess, String) async throws(CharacteristicAccess.Failure) -> Answer
    ) async throws(OperationError) -> Answer {
        let device: String
        let identifier: UUID
        switch await gateway.collector.link(of: String(sensor.prefix(64)), within: Self.patience) {
        case .present(let name, let known): (device, identifier) = (name, known)
        case .absent(let reason): throw OperationError(.refused, reason)
        case .unknown(let reason): throw OperationError(.notFound, reason)
        case nil: throw OperationError(.failed, "the collector does not answer")
        }
        guard gateway.exclusive.begin(.access(identifier)) else {
            throw OperationError(.busy, "another client is reading or writing \(device): ask again in a moment")
        }
        defer { gateway.exclusive.end(.access(identifier)) }
        do throws(CharacteristicAccess.Failure) {
            return try await body(
                try CharacteristicAccess(to: feed, of: identifier, by: gateway.controller), device)
        } catch {
            let kind: OperationError.Kind =
                switch error.kind {
                case .unknown: .notFound
                case .refused: .refused
                case .failed: .failed
                }
            throw OperationError(kind, error.text)
        }
    }
}
