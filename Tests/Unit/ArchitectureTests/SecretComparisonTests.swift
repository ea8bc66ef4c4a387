// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// The time of a comparison must not show the number of right octets to an attacker.
@Suite("Comparisons of secrets take equal time")
struct SecretComparisonTests {
    @Test("hashes of passwords are compared in equal time") func hashes() throws {
        let source = try Repository.text("Sources/Libcrypto/SHA256.swift")
        let comparison = try #require(source.components(separatedBy: "func == ").dropFirst().first)
        #expect(comparison.contains("CRYPTO_memcmp(left.octets, right.octets, left.octets.count) == 0"))
        // The page keeps hashes of its two secrets, and no text.
        let page = try Repository.text("Sources/Page/Access/PageAccess.swift")
        for secret in ["password", "metricsToken"] { #expect(page.contains("private let \(secret): SHA256?")) }
    }

    /// Compares two secrets of one configuration file, before any client can ask.
    private static let exceptions: Set = ["Sources/Configuration/GatewayConfiguration+Page.swift"]

    @Test("no revealed secret is compared by itself") func revealed() throws {
        let compared = try Repository.code(below: "Sources", with: [".revealed"]).filter {
            $0.line.contains(/\.revealed\b[^{()]*(==|!=)/) || $0.line.contains(/(==|!=) *[A-Za-z.?]*\.revealed\b/)
        }
        let places = compared.map { "\($0.file): \($0.line)" }
        #expect(Set(compared.map(\.file)) == Self.exceptions && compared.count == 1, "\(places)")
    }
}
