// SPDX-License-Identifier: Apache-2.0

import CoreBluetooth
import Foundation
import Gateway

/// The values that everybody may read.
package struct GatewayPresentation: Codable, Equatable, Sendable {
    package var model: String
    package var name: String
    /// `unprovisioned`, `provisioned`, `staged`, `applying`.
    package var state: String
    /// The next step, for a person.
    package var nextStep: String

    package init(model: String, name: String, state: String, nextStep: String) {
        self.model = model
        self.name = name
        self.state = state
        self.nextStep = nextStep
    }
}

extension ProvisioningClient {
    /// Readable without a pairing.
    package func presentation() async throws(ProvisioningClientError) -> GatewayPresentation {
        GatewayPresentation(
            model: Self.plain(try await read(.model)), name: Self.plain(try await read(.name)),
            state: Self.plain(try await read(.state)), nextStep: Self.plain(try await read(.nextStep)))
    }

    // MARK: Staged until they are applied

    package func setName(_ name: String) async throws(ProvisioningClientError) { try await write(name, to: .name) }

    /// Two letters; empty if none is set.
    package func country() async throws(ProvisioningClientError) -> String { Self.plain(try await read(.country)) }
    package func setCountry(_ country: String) async throws(ProvisioningClientError) {
        try await write(country, to: .country)
    }

    /// Looks for networks; returns them, strongest first.
    package func scanNetworks() async throws(ProvisioningClientError) -> [NetworkMessage] {
        let lines = try lines(of: .networks)
        try await write("scan", to: .networks)
        var found: [NetworkMessage] = []
        let silence = patience.silence
        let end = try await next(of: .networks, in: lines, as: NetworkMessage.self, silence: { _ in silence }) {
            message -> NetworkMessage? in
            if message.end == true { return message }
            // A limit above every real list.
            if message.ssid?.isEmpty == false, found.count < 256 { found.append(message) }
            return nil
        }
        if found.isEmpty, let text = end.text ?? end.reason {
            throw ProvisioningClientError(.rolledBack(end.reason ?? "failed"), Self.plain(text))
        }
        return found
    }

    package func wireless() async throws(ProvisioningClientError) -> WirelessMessage {
        try await read(.wireless, as: WirelessMessage.self)
    }
    package func setWireless(_ network: WirelessMessage) async throws(ProvisioningClientError) {
        try await write(json: network, to: .wireless)
    }

    package func broker() async throws(ProvisioningClientError) -> BrokerMessage {
        try await read(.broker, as: BrokerMessage.self)
    }
    package func setBroker(_ broker: BrokerMessage) async throws(ProvisioningClientError) {
        try await write(json: broker, to: .broker)
    }

    // MARK: At once

    package func time() async throws(ProvisioningClientError) -> TimeMessage {
        try await read(.time, as: TimeMessage.self)
    }
    package func setTime(_ date: Date = Date()) async throws(ProvisioningClientError) {
        let text = date.formatted(
            Date.ISO8601FormatStyle(includingFractionalSeconds: true, timeZone: .gmt))
        try await write(text, to: .time)
    }

    package func status() async throws(ProvisioningClientError) -> StatusMessage {
        try await read(.status, as: StatusMessage.self)
    }

    /// The newest lines of the log.
    package func log() async throws(ProvisioningClientError) -> [String] {
        try await read(.log).split(separator: "\n").map { Self.plain(String($0)) }
    }

    /// Blinks the LED of the gateway's board.
    package func identify() async throws(ProvisioningClientError) { try await write("identify", to: .identify) }

    /// Drops changes that were not applied.
    package func dropStaged() async throws(ProvisioningClientError) { try await write("staged", to: .rollBack) }

    /// Restores the settings from before the last change.
    package func rollBack() async throws(ProvisioningClientError) { try await write("applied", to: .rollBack) }

    /// The gateway forgets everything, including this machine, and this machine forgets the gateway.
    package func resetToFactory() async throws(ProvisioningClientError) {
        do {
            try await write("erase everything", to: .factoryReset)
        } catch  where error.isLinkLost {
            // The reset begins before its answer has arrived.
        }
        controller.removeBond(for: peripheral)
    }

    // MARK: The pairing window

    package func window() async throws(ProvisioningClientError) -> WindowMessage {
        try await read(.window, as: WindowMessage.self)
    }
    package func setWindow(isOpen: Bool) async throws(ProvisioningClientError) {
        try await write(isOpen ? "open" : "close", to: .window)
    }
}
