// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Foundation
import TestSupport
import Testing

@testable import Gateway
@testable import GatewayBench
@testable import HTTPClient

/// A file of authorities stands alone, and those of the machine do not count beside it. The test runs once more in a child process, whose
/// machine has the authorities of a folder.
struct MachineAuthorityTests {
    private static let server = "MARTLET_TEST_SERVER"
    private static let stranger = "MARTLET_TEST_AUTHORITY"

    @Test func `a server that the machine trusts is none for a gateway with authorities of its own`() throws {
        let environment = ProcessInfo.processInfo.environment
        guard let url = environment[Self.server], let stranger = environment[Self.stranger] else {
            return try runInside()
        }
        #expect(send(to: url, caFile: nil) == .taken(204), "the machine trusts the server")
        let alone = send(to: url, caFile: stranger)
        #expect(alone.isFailure && alone.words.contains("certificate"), "\(alone)")
    }

    private func send(to url: String, caFile: String?) -> HTTPSOutcome {
        HTTPSClient().send(
            HTTPSPost(
                url: Secret(url), body: Array("{}".utf8), userAgent: "Martlet/test", caFile: caFile, timeout: hangLimit)
        )
    }

    private func runInside() throws {
        let (shop, folder) = (try CertificateShop(), try TestFolder())
        // By another name: among authorities of one name, OpenSSL looks no further than the file.
        try shop.makeAuthority("stranger")
        let stranger = shop.certificate("stranger")
        let server = try HTTPSListener(shop)
        // As Debian has them: a file of all authorities, and a folder with links by their hashes. The server's is in the folder alone.
        let authorities = folder.path("certs")
        try FileManager.default.createDirectory(atPath: authorities, withIntermediateDirectories: true)
        for (from, name) in [(shop.authority, "ca.pem"), (stranger, "ca-certificates.crt")] {
            try FileManager.default.copyItem(atPath: from, toPath: authorities + "/" + name)
        }
        try CertificateShop.openssl(["rehash", authorities])
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/unshare")
        process.arguments = [
            "--map-root-user", "--mount", "sh", "-c", #"mount --bind "$0" /etc/ssl/certs && exec "$@""#, authorities,
            try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe"),
            "--testing-library", "swift-testing", "--filter", "MachineAuthorityTests",
        ]
        process.environment = ProcessInfo.processInfo.environment.merging([
            Self.server: server.url, Self.stranger: stranger,
        ]) { $1 }
        let output = Pipe()
        (process.standardOutput, process.standardError) = (output, output)
        try process.runReachable()
        let said = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        #expect(process.terminationStatus == 0 && said.contains("1 test"), "\(said)")
        #expect(server.requests.count == 1)
    }
}
