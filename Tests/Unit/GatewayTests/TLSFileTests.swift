// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import Configuration
@testable import Gateway
@testable import GatewayBench
@testable import MQTT
@testable import Publisher

/// Files of `[mqtt.tls]`, as `martlet check-config` and a starting gateway see them.
@Suite("Files of TLS in the configuration")
struct TLSFileTests {
    private let shop: CertificateShop

    init() throws {
        shop = try CertificateShop()
        try shop.make("gateway", for: "DNS:gateway.test")
        try shop.make("other", for: "DNS:other.test")
        try Data("no certificate".utf8).write(to: URL(fileURLWithPath: shop.folder.path("garbage.pem")))
    }

    private func parse(
        ca: String? = nil, certificate: String? = nil, key: String? = nil, demanding: Bool = true
    ) throws -> GatewayConfiguration {
        let files = [("ca_file", ca), ("certificate_file", certificate), ("key_file", key)]
        let lines = files.compactMap { name, file in file.map { "\(name) = \"\($0)\"" } }
        return try GatewayConfiguration.parse(
            (["[mqtt.tls]", "enabled = true"] + lines + ["[mqtt]", "host = \"a\""]).joined(separator: "\n"), file: "f",
            gateway: "g",
            isCheck: demanding)
    }

    @Test func `files that fit are good`() throws {
        let configuration = try parse(
            ca: shop.authority, certificate: shop.certificate("gateway"), key: shop.key("gateway"))
        #expect(configuration.warnings.isEmpty)
        _ = try parse()
    }

    struct Fault: Sendable {
        var ca = "ca.pem"
        var certificate = "gateway.pem"
        var key = "gateway.key"
        /// With names of files in place of their paths.
        var issue: String
    }

    @Test(arguments: [
        Fault(ca: "none.pem", issue: "f:3: mqtt.tls.ca_file \"none.pem\": there is no such file"),
        Fault(ca: "", issue: "f:3: mqtt.tls.ca_file \"\": is no regular file"),
        Fault(ca: "garbage.pem", issue: "f:3: mqtt.tls.ca_file \"garbage.pem\" cannot be used: "),
        Fault(certificate: "none.pem", issue: "f:4: mqtt.tls.certificate_file \"none.pem\": there is no such file"),
        Fault(certificate: "garbage.pem", issue: "f:4: mqtt.tls.certificate_file \"garbage.pem\" cannot be used: "),
        Fault(key: "none.key", issue: "f:5: mqtt.tls.key_file \"none.key\": there is no such file"),
        Fault(key: "garbage.pem", issue: "f:5: mqtt.tls.key_file \"garbage.pem\" cannot be used: "),
        Fault(key: "other.key", issue: "f:5: mqtt.tls.key_file \"other.key\" is not the key of \"gateway.pem\""),
    ])
    func `a file that is missing, unusable or does not fit is a mistake of its line, and a warning to a gateway`(
        _ fault: Fault
    ) throws {
        let (ca, certificate, key) = (
            shop.folder.path(fault.ca), shop.folder.path(fault.certificate), shop.folder.path(fault.key)
        )
        let error = #expect(throws: ConfigurationError.self) { try parse(ca: ca, certificate: certificate, key: key) }
        let issues = error?.issues.map { $0.description.replacing(shop.folder.path + "/", with: "") } ?? []
        #expect(issues.count == 1 && issues.first?.hasPrefix(fault.issue) == true, "\(issues)")
        let lenient = try parse(ca: ca, certificate: certificate, key: key, demanding: false)
        #expect(lenient.warnings == error?.issues.map(\.description))
        #expect(lenient.mqtt.tls?.keyFile == key)
    }

    @Test func `a file that may not be read is a mistake`() throws {
        let file = shop.key("gateway")
        try FileManager.default.setAttributes([.posixPermissions: 0], ofItemAtPath: file)
        let error = Result { try parse(certificate: shop.certificate("gateway"), key: file) }
        guard case .failure(let error as ConfigurationError) = error else {
            // root may read everything.
            #expect(FileManager.default.isReadableFile(atPath: file))
            return
        }
        let complaint = "f:4: mqtt.tls.key_file \"\(file)\": cannot be read: Permission denied"
        #expect(error.issues.map(\.description) == [complaint])
    }
}
