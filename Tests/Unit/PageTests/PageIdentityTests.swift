// SPDX-License-Identifier: Apache-2.0

import Configuration
import Foundation
import Gateway
import Testing

@testable import GatewayBench
@testable import Page

@Suite("The gateway's own certificate for its page")
struct PageIdentityTests {
    private let folder: TestFolder
    private let shop: CertificateShop

    init() throws { (folder, shop) = (try TestFolder(), try CertificateShop()) }

    private func identity() throws -> PageIdentity {
        try PageIdentity(PageConfiguration(), stateDirectory: folder.path)
    }

    @Test func `it is kept, and another is made before it ends`() throws {
        let first = try identity()
        #expect(try identity().fingerprint == first.fingerprint)
        for (name, end, isKept) in [("ended", "20250101000000Z", false), ("later", "20500101000000Z", true)] {
            try shop.make(name, for: "DNS:a", from: "20240101000000Z", until: end)
            let text =
                try String(contentsOfFile: shop.certificate(name), encoding: .utf8)
                + String(contentsOfFile: shop.key(name), encoding: .utf8)
            try folder.write("page.pem", text)
            #expect(try (identity().certificate == text) == isKept, "\(name)")
        }
        try folder.write("page.pem", "nothing")
        #expect(try identity().certificate.contains("-----BEGIN CERTIFICATE-----"))
    }

    @Test func `it began before any clock that starts, and is good for ten years`() throws {
        let text = try identity().certificate
        try folder.write("made.pem", text)
        try CertificateShop.openssl(["x509", "-in", folder.path("made.pem"), "-noout", "-checkend", "314000000"])
        #expect(throws: CertificateShop.Failed.self) {
            try CertificateShop.openssl(["x509", "-in", folder.path("made.pem"), "-noout", "-checkend", "316000000"])
        }
    }
}
