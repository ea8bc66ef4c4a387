// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The gateway's description of itself on `…/gw/<gw>/info`.
package struct GatewayInformation: Codable, Equatable, Sendable {
    package struct Adapter: Codable, Equatable, Sendable {
        /// `hci0`, or the name of the transport.
        package var name: String
        /// `C4:7C:8D:00:11:22`; nil while unknown.
        package var address: String?

        package init(name: String, address: String? = nil) {
            self.name = name
            self.address = address
        }
    }

    /// The version of the gateway's software.
    package var version: String
    /// The model of the board.
    package var model: String
    package var os: String
    /// First 8 digits of the boot id.
    package var boot: String
    package var adapters: [Adapter]
    package var ip: [String]
    package var capabilities: [String]

    package init(
        version: String, model: String, os: String, boot: String, adapters: [Adapter], ip: [String],
        capabilities: [String]
    ) {
        self.version = version
        self.model = model
        self.os = os
        self.boot = boot
        self.adapters = adapters
        self.ip = ip
        self.capabilities = capabilities
    }

    /// The published JSON.
    var payload: [UInt8]? {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return (try? encoder.encode(self)).map { [UInt8]($0) }
    }
}
