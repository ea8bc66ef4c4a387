// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Operations

extension MachineLayer {
    /// The keys that clients may change. Paths of files are not among them: the gateway would send, or write, any named
    /// file.
    private static let changeable: Set<[String]> = Set(
        [
            ["gateway", "name"], ["gateway", "id"], ConfigurationChange.discoveryPath,
            ["provisioning", "known_phones"], ["provisioning", "window_s"],
            ["mqtt", "tls", "enabled"], ["mqtt", "tls", "server_name"], ["mqtt", "tls", "verify_hostname"],
        ]
            + ["host", "port", "username", "password", "client_id", "topic_prefix", "layout", "retain"].map {
                ["mqtt", $0]
            })

    /// The layer with a change.
    ///
    /// - Parameter authorityPath: The path for the change's certificates.
    package func changed(by change: ConfigurationChange, authorityPath: String?) throws(OperationError) -> MachineLayer
    {
        var layer = self
        for (path, value) in change.values {
            guard Self.changeable.contains(path) else {
                throw OperationError(.notValid, "\(path.joined(separator: ".")) cannot be set from here")
            }
            layer.values[path] =
                switch value {
                case .text(let text): .string(text)
                case .secret(let secret): .string(secret.revealed)
                case .integer(let number): .integer(number)
                case .flag(let flag): .boolean(flag)
                case nil: nil
                }
        }
        if change.authority != nil { layer.values[Self.authorityPath] = authorityPath.map { .string($0) } }
        // Settings that depend on a removed setting are removed, too.
        if layer.values[["mqtt", "username"]] == nil, change.values[["mqtt", "password"]] == nil {
            if change.values[["mqtt", "username"]] != nil { layer.values[["mqtt", "password"]] = nil }
        }
        if layer.values[["mqtt", "tls", "enabled"]] == .boolean(false), change.authority == nil {
            layer.values[Self.authorityPath] = nil
            if change.values[["mqtt", "tls", "server_name"]] == nil {
                layer.values[["mqtt", "tls", "server_name"]] = nil
            }
        }
        return layer
    }
}

extension ConfigurationChange {
    /// The step that puts the change into effect.
    package var effect: ConfigurationEffect {
        var effect: ConfigurationEffect = authority == nil ? .live : .reconnect
        for section in GatewayConfiguration.sections {
            for key in section.keys where values.keys.contains(section.path + [key.name]) {
                effect = max(effect, key.effect)
            }
        }
        return effect
    }

    /// The change contains a password, and not an empty one.
    package var givesPassword: Bool {
        switch values[["mqtt", "password"]] {
        case .text(let text)?: !text.isEmpty
        case .secret(let secret)?: !secret.revealed.isEmpty
        case .integer?, .flag?, .some(nil), nil: false
        }
    }

    /// The change removes the layer's password.
    package var removesPassword: Bool { values[["mqtt", "password"]] == .some(nil) }
}
