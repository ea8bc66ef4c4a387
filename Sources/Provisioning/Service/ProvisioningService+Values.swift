// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Collector
import Configuration
import CoreBluetooth
import Foundation
import Gateway
import Health
import NetworkControl
import Operations
import Platform
import Synchronization

/// Values for reads. No value is a secret; the passkey of the next pairing is only for owners.
extension ProvisioningService {
    func value(of item: Item, for phone: String, _ central: CBCentral) async throws(WriteRefusal) -> [UInt8] {
        let staged = state.withLock { $0.staging.changes(of: phone) }
        switch item {
        case .protocolVersion: return Array(ProvisioningTable.version.utf8)
        case .model: return text(parts.model)
        case .name:
            // Everybody may read the name, but only the phone that staged a name gets the staged name.
            if let name = staged.name { return text(name) }
            return text(await settings().name)
        case .state: return text(await stateWord())
        case .nextStep: return text(await nextStep())
        case .country:
            if let country = staged.country { return text(country) }
            return text(await networkStatus()?.country ?? "")
        case .networks: return Self.whole(state.withLock { $0.networkLines })
        case .wireless: return json(await wireless(staged))
        case .broker: return await broker(staged)
        case .authority: return json(await authority(staged))
        case .time: return json(try await time())
        case .sensors:
            return Self.whole(try await ask(OperationTable.devices).map { SensorMessage($0).line })
        case .status: return text(try await statusMessage().line)
        case .log: return Self.whole(newest: try await ask(OperationTable.log).map(Self.logLine))
        case .apply: return state.withLock { $0.progress }.map { text($0.line) } ?? []
        case .window: return json(windowMessage())
        case .lastError: return text(meet(central) { $0.lastError }.result)
        case .authorityData, .acceptSensor, .forgetSensor, .sensorPasskey, .identify, .rollBack, .factoryReset:
            throw WriteRefusal(.readNotPermitted, "This cannot be read.")
        }
    }

    /// The answer of a row that a phone may have.
    func ask<Arguments, Answer>(
        _ operation: TypedOperation<Arguments, Answer>
    ) async throws(WriteRefusal) -> Answer {
        do throws(OperationError) { return try await phones.ask(operation) } catch { throw WriteRefusal(error) }
    }

    private func text(_ text: String) -> [UInt8] { Array(PlainText.line(text, limit: 512).utf8) }
    private func json(_ value: some Encodable) -> [UInt8] { (try? ControlCoding.encode(value)) ?? [] }

    /// The first whole lines that fit.
    static func whole(_ lines: [String]) -> [UInt8] {
        var octets: [UInt8] = []
        for line in lines {
            guard octets.count + line.utf8.count + 1 <= 512 else { break }
            octets += Array(line.utf8) + [UInt8(ascii: "\n")]
        }
        return octets
    }

    /// The last whole lines that fit.
    static func whole(newest lines: [String]) -> [UInt8] {
        var room = 512
        let fitting = lines.reversed().prefix { line in
            room -= line.utf8.count + 1
            return room >= 0
        }
        return whole(fitting.reversed())
    }

    static func logLine(_ text: String) -> String { PlainText.line(text, limit: 400) }

    // MARK: Words

    func stateWord() async -> String {
        let isProvisioned = await settings().isProvisioned
        return state.withLock { state in
            if state.isApplying { return "applying" }
            if !state.staging.isEmpty { return "staged" }
            return isProvisioned ? "provisioned" : "unprovisioned"
        }
    }

    private func nextStep() async -> String {
        let isProvisioned = await settings().isProvisioned
        let (window, isApplying, isStaged) = state.withLock { ($0.window, $0.isApplying, !$0.staging.isEmpty) }
        if isApplying { return "Wait: changes are being applied. Subscribe to Apply to see how far they are." }
        if isStaged { return "Write “apply” to Apply, or write what is missing first." }
        guard window.isOpen else {
            return Advice.here(
                isProvisioned
                    ? "This gateway is set up. To pair a phone, press its button, or run: \(.martlet(.provisionOpen))"
                    : "To pair a phone, press the gateway's button, or run: \(.martlet(.provisionOpen))")
        }
        switch window.passkey {
        case .fresh: return "Read Wi-Fi country: the phone then asks for the passkey that the gateway shows."
        case .label: return "Read Wi-Fi country: the phone then asks for the passkey on the gateway's label."
        case .none(let reason): return "No phone can pair now: \(reason)."
        }
    }

    // MARK: Settings

    private func wireless(_ staged: StagedChanges) async -> WirelessMessage {
        switch staged.wireless {
        case .join(let settings):
            WirelessMessage(ssid: settings.ssid, passwordSet: settings.password != nil, hidden: settings.isHidden)
        case .some(.none): WirelessMessage(ssid: "")
        // Only NetworkManager knows whether the network has a password.
        case nil: WirelessMessage(ssid: await networkStatus()?.ssid ?? "")
        }
    }

    private func broker(_ staged: StagedChanges) async -> [UInt8] {
        let settings = await settings()
        let broker = staged.broker
        var message = BrokerMessage()
        message.host = broker.host ?? (settings.isProvisioned ? settings.host : "")
        message.port = broker.port ?? settings.port
        message.tls = broker.usesTLS ?? settings.usesTLS
        message.homeAssistant = broker.homeAssistant ?? settings.homeAssistant
        let username = broker.username ?? settings.username ?? ""
        message.username = username.isEmpty ? nil : username
        message.passwordSet = broker.password.map { !$0.revealed.isEmpty } ?? settings.hasPassword
        let octets = json(message)
        guard octets.count > 512 else { return octets }
        // A file may have a longer user name than a phone can write.
        message.username = nil
        return json(message)
    }

    private func authority(_ staged: StagedChanges) async -> AuthorityMessage {
        if let authority = staged.authority { return authority.message }
        let hash = await settings().authorityHash
        // The size is left out: a client can compare the hash.
        return AuthorityMessage(size: 0, sha256: hash, received: nil, state: hash == nil ? "none" : "in-use")
    }

    private func time() async throws(WriteRefusal) -> TimeMessage {
        let clock = try await ask(OperationTable.status).time
        return TimeMessage(
            time: clock?.unixMs.flatMap { UniversalTime(unixMilliseconds: $0).text }, clock: clock?.state ?? "unsynced",
            source: clock?.source?.rawValue, errorMs: clock?.errorMs)
    }

    func windowMessage() -> WindowMessage {
        let window = parts.window.state
        let left = window.end.map { max(0, Int(($0 - .now).components.seconds)) }
        var passkey: String?
        if case .fresh(let digits) = window.passkey { passkey = digits }
        return WindowMessage(open: window.isOpen, seconds: window.isOpen ? left : nil, passkey: passkey)
    }

    /// nil if unknown.
    func networkStatus() async -> NetworkStatus? { try? await parts.network.status() }
}
