// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Where a running gateway's configuration comes from, so that it can read it again: with what is on disk, or with a layer
/// of its own that is only tried out.
package struct ConfigurationSource: Sendable {
    /// martlet.toml.
    let path: String?
    private let read: @Sendable (MachineLayerText?) throws(ConfigurationError) -> GatewayConfiguration

    /// - Parameters:
    ///   - path: martlet.toml.
    ///   - freshName: See ``GatewayConfiguration/load(path:environment:isCheck:freshName:machine:)``.
    ///   - adjust: What the command line says otherwise.
    package static func files(
        path: String, environment: [String: String] = ProcessInfo.processInfo.environment, freshName: String?,
        adjust: @escaping @Sendable (inout GatewayConfiguration) -> Void = { _ in }
    ) -> Self {
        Self(path: path) { layer throws(ConfigurationError) in
            var configuration = try GatewayConfiguration.load(
                path: path, environment: environment, freshName: freshName, layer: layer)
            adjust(&configuration)
            return configuration
        }
    }

    /// What is on disk.
    package func load() throws(ConfigurationError) -> GatewayConfiguration { try read(nil) }

    /// What it would be with this layer.
    func load(with layer: MachineLayerText) throws(ConfigurationError) -> GatewayConfiguration { try read(layer) }
}
