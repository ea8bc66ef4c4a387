// SPDX-License-Identifier: Apache-2.0

import Foundation
import Platform

extension ProvisioningClient {
    /// Calls `take` with each sensor that the gateway hears, and after each change of a sensor, until `take` returns
    /// false or the connection is lost.
    package func sensors(
        _ take: (SensorMessage) -> Bool
    ) async throws(ProvisioningClientError) {
        let lines = try lines(of: .sensors)
        try await next(of: .sensors, in: lines, as: SensorMessage.self, silence: { _ in nil }) { take($0) ? nil : () }
    }

    /// The sensors heard within `limit`, strongest first; earlier if `isEnough` returns true.
    package func sensors(
        within limit: Duration, until isEnough: @escaping @Sendable ([SensorMessage]) -> Bool = { _ in false }
    ) async throws(ProvisioningClientError) -> [SensorMessage] {
        let lines = try lines(of: .sensors)
        let timer = Task { [weak lines] in
            guard await Waiting.pause(for: limit) else { return }
            lines?.fail(Self.enough)
        }
        defer { timer.cancel() }
        var heard: [String: SensorMessage] = [:]
        do {
            try await next(of: .sensors, in: lines, as: SensorMessage.self, silence: { _ in nil }) { sensor -> Void? in
                guard heard[sensor.address] != nil || heard.count < 256 else { return nil }
                heard[sensor.address] = sensor
                return isEnough(Array(heard.values)) ? () : nil
            }
        } catch  where error == Self.enough {
            // The time is over.
        }
        return heard.values.sorted { ($0.rssi ?? -128, $1.address) > ($1.rssi ?? -128, $0.address) }
    }

    private static var enough: ProvisioningClientError { ProvisioningClientError(.silent, "enough") }

    /// Collects from a sensor from now on.
    package func accept(_ sensor: AcceptMessage) async throws(ProvisioningClientError) {
        try await write(json: sensor, to: .acceptSensor)
    }

    /// By id or address.
    package func forget(sensor: String) async throws(ProvisioningClientError) {
        try await write(sensor, to: .forgetSensor)
    }

    package func setPasskey(_ passkey: String, ofSensor address: String) async throws(ProvisioningClientError) {
        try await write(json: AcceptMessage(address: address, passkey: passkey), to: .sensorPasskey)
    }
}
