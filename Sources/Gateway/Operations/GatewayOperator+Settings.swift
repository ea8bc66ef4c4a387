// SPDX-License-Identifier: Apache-2.0

import Configuration
import MQTT
import Operations
import Publisher
import Readings
import StateFiles
import Synchronization

extension GatewayOperator {
    package func settings() async -> GatewaySettings {
        let configuration = gateway.configuration
        let state = gateway.settings?.state.withLock { $0 }
        let mqtt = configuration.mqtt
        let address = mqtt.addresses[0]
        return GatewaySettings(
            name: configuration.displayName, gateway: configuration.gateway, host: address.host,
            port: Int(address.port), usesTLS: mqtt.tls != nil, username: mqtt.username,
            hasPassword: mqtt.password != nil,
            authorityHash: gateway.settings?.store.authorityHash(in: mqtt.tls?.caFile),
            isProvisioned: configuration.isProvisioned, network: state?.kept.network, canUndo: state?.canUndo ?? false,
            homeAssistant: mqtt.homeAssistant.discovery != .off)
    }

    package func check(_ change: ConfigurationChange) async throws(OperationError) -> ConfigurationEffect {
        try await self.change { [gateway] settings throws(OperationError) in
            // A check changes nothing: decoder files read for it count from the next reload on.
            let decoders = UserDecoders.current
            defer {
                UserDecoders.install(decoders)
                settings.removeUnused()
            }
            _ = try settings.draft(change, on: gateway.configuration)
            return change.effect
        }
    }

    package func tryOut(_ change: ConfigurationChange) async throws(OperationError) {
        try await self.change { [gateway] settings throws(OperationError) in
            guard settings.trial == nil else {
                throw OperationError(.busy, "another change is being tried out: wait for its end")
            }
            let former = gateway.configuration
            let draft: MachineSettings.Draft
            do throws(OperationError) {
                draft = try settings.draft(change, on: former)
            } catch {
                settings.removeUnused()
                throw error
            }
            let trial = MachineSettings.Trial(
                layer: draft.layer, former: former, formerPublisher: gateway.slot.publisher)
            settings.state.withLock { ($0.trial, $0.hasLostTrial) = (trial, false) }
            gateway.apply(draft.configuration, tellsProgress: true)
        }
    }

    package func keep(network: String?) async throws(OperationError) {
        try await change { settings throws(OperationError) in
            let state = settings.state.withLock { $0 }
            guard !state.hasLostTrial else {
                settings.state.withLock { $0.hasLostTrial = false }
                throw OperationError(
                    .failed, "the configuration was read again meanwhile: nothing is tried out any more")
            }
            var layer = state.trial?.layer ?? state.kept
            if let network { layer.network = network.isEmpty ? nil : network }
            // The gateway must be able to read the kept layer.
            let written: MachineLayerText
            do throws(ConfigurationError) {
                written = try settings.store.text(of: layer)
                _ = try settings.source.load(with: written)
            } catch {
                throw OperationError(error)
            }
            if layer != state.kept { try settings.keep(written, keepsFormer: true) }
            settings.state.withLock { $0.trial = nil }
            settings.removeUnused()
        }
    }

    package func revert() async {
        _ = try? await change(urgent: true) { [gateway] settings in
            let trial = settings.state.withLock { state in
                defer { (state.trial, state.hasLostTrial) = (nil, false) }
                return state.trial
            }
            guard let trial else { return }
            // A person's files may have got a mistake meanwhile.
            let configuration = (try? settings.source.load()) ?? trial.former
            gateway.apply(configuration)
            settings.removeUnused()
        }
    }

    package func undo() async throws(OperationError) -> String? {
        try await change { [gateway] settings throws(OperationError) in
            let state = settings.state.withLock { $0 }
            guard state.trial == nil else {
                throw OperationError(.busy, "another change is being tried out: wait for its end")
            }
            guard state.canUndo, let before = state.before else {
                throw OperationError(.notFound, "there is nothing to go back to")
            }
            var layer = before
            // That change accepted no sensors, so an undo must not remove any.
            layer.sensors = state.kept.sensors
            let (written, configuration): (MachineLayerText, GatewayConfiguration)
            do throws(ConfigurationError) {
                written = try settings.store.text(of: layer)
                configuration = try settings.source.load(with: written)
            } catch {
                throw OperationError(error)
            }
            try settings.keep(written, keepsFormer: false)
            // If this fails, the predecessor equals the kept layer, and an undo is not offered either.
            try? settings.store.forgetFormer()
            settings.state.withLock { $0.before = nil }
            settings.removeUnused()
            gateway.apply(configuration)
            return layer.network
        }
    }
}

extension MachineSettings.State {
    /// The predecessor of the kept layer differs in more than sensors.
    var canUndo: Bool { before.map { $0.values != kept.values } ?? false }
}

extension MachineSettings {
    struct Draft: Sendable {
        var layer: MachineLayer
        var configuration: GatewayConfiguration
    }

    /// Makes a layer from the layer in use and a change, and the resulting configuration, or throws the mistakes.
    /// Afterwards, the certificates are on disk.
    func draft(_ change: ConfigurationChange, on running: GatewayConfiguration) throws(OperationError) -> Draft {
        var path: String?
        if let authority = change.authority, !authority.isEmpty { path = try keep(authority: authority) }
        let layer = try current.changed(by: change, authorityPath: path)
        let configuration: GatewayConfiguration
        do throws(ConfigurationError) {
            configuration = try source.load(with: store.text(of: layer))
        } catch {
            throw OperationError(error)
        }
        try checkPassword(change, configuration.mqtt, running.mqtt)
        return Draft(layer: layer, configuration: configuration)
    }

    private func keep(authority: [UInt8]) throws(OperationError) -> String {
        guard authority.count <= MachineLayerStore.authorityLimit else {
            throw OperationError(.notValid, "the certificates are larger than 64 KiB")
        }
        let path = store.authorityPath(authority)
        do throws(StateFileError) {
            try store.keepAuthority(authority)
        } catch {
            throw OperationError(.failed, "\(path) cannot be written: \(error)")
        }
        if let fault = TLSContext.fault(in: MQTTConfiguration.TLS(caFile: path)) {
            throw OperationError(.notValid, "the CA certificate cannot be used: \(fault.text)")
        }
        return path
    }

    /// A password is written, and never read: see ``BrokerWay/mayUse(passwordOf:isNew:)``. A change may remove the
    /// password: any remaining password is from people's files, for which the reader has applied the rule.
    private func checkPassword(
        _ change: ConfigurationChange, _ new: MQTTConfiguration, _ old: MQTTConfiguration
    ) throws(OperationError) {
        guard old.password != nil || new.password != nil, !change.removesPassword,
            !BrokerWay(new).mayUse(passwordOf: BrokerWay(old), isNew: change.givesPassword)
        else { return }
        throw OperationError(
            .notValid, "the password was given for another broker, or another way to it: give it again, or remove it")
    }
}
