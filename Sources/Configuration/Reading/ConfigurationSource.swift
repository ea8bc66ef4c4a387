// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Loads a running gateway's configuration again: from disk, or with a machine layer that is only tried out.
package struct ConfigurationSource: Sendable {
    /// martlet.toml.
    package let path: String?
    /// Parses the files: each new text once.
    package let texts: ConfigurationTexts
    private let read: @Sendable (MachineLayerText?) throws(ConfigurationError) -> GatewayConfiguration

    /// - Parameters:
    ///   - path: martlet.toml.
    ///   - freshName: See ``GatewayConfiguration/load(path:environment:isCheck:freshName:machine:)``.
    ///   - adjust: Applies the options of the command line.
    package static func files(
        path: String, environment: [String: String] = ProcessInfo.processInfo.environment, freshName: String?,
        adjust: @escaping @Sendable (inout GatewayConfiguration) -> Void = { _ in }
    ) -> Self {
        let texts = ConfigurationTexts()
        return Self(path: path, texts: texts) { layer throws(ConfigurationError) in
            var configuration = try GatewayConfiguration.load(
                path: path, environment: environment, freshName: freshName, layer: layer, texts: texts)
            adjust(&configuration)
            return configuration
        }
    }

    /// The configuration on disk.
    package func load() throws(ConfigurationError) -> GatewayConfiguration { try read(nil) }

    /// The configuration as it would be with `layer`.
    package func load(with layer: MachineLayerText) throws(ConfigurationError) -> GatewayConfiguration {
        try read(layer)
    }
}
