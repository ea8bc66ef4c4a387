// SPDX-License-Identifier: Apache-2.0

/// The settings before the last change are in use again. In JSON one word, `undone`.
package struct SettingsUndone: Codable, Equatable, Sendable {
    private static let word = "undone"

    /// Their network, for the part that takes care of networks; not told to clients.
    package let network: String?

    package init(network: String?) { self.network = network }

    package init(from decoder: any Decoder) throws {
        _ = try decoder.singleValueContainer().decode(String.self)
        network = nil
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(Self.word)
    }
}
