// SPDX-License-Identifier: Apache-2.0

/// The source of updates for the flashed image: the `[update]` table.
package struct UpdateConfiguration: Equatable, Sendable {
    /// URL of a signed update, http or https; nil: the gateway looks for no updates.
    package var url: String?
    package var looksDaily = true

    package init() {}
}

extension GatewayConfiguration {
    static let updateSection = ConfigurationSection<GatewayConfiguration>(
        path: ["update"], help: "Updates of the flashed image.", effect: .restart,
        keys: [
            .text(
                "url", \.update.url, check: updateURLComplaint,
                "The address of the newest update, `https://example.org/martlet-rpi.raucb`: the page, Home Assistant and "
                    + "`martlet update` can look for it, and install it. Its signature is what makes it trusted, not the "
                    + "server."),
            .flag("looks_daily", \.update.looksDaily, "Look once a day whether there is another version."),
        ])
}

/// The text does not repeat the URL, because a password in the URL must not get into a log.
private func updateURLComplaint(_ text: String) -> String? {
    let scheme = ["https://", "http://"].first { text.hasPrefix($0) }
    let isPlain = text.utf8.allSatisfy { (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "\\") }
    guard let scheme, isPlain, text.utf8.count <= 2_048 else {
        return "is no URL of http or https, without spaces"
    }
    let authority = text.dropFirst(scheme.count).prefix { $0 != "/" && $0 != "?" && $0 != "#" }
    guard !authority.isEmpty else { return "names no server" }
    guard authority.contains("@") else { return nil }
    return "has a name or password in it, which others could read; updates need no secrets"
}
