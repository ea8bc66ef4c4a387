// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Foundation
import Platform
import Testing

@testable import Configuration
@testable import Gateway
@testable import GatewayBench

/// Certificates are those of the present configuration.
struct CertificateWatchTests {
    private static func configuration(_ file: String) throws -> GatewayConfiguration {
        try GatewayConfiguration.parse(
            """
            [mqtt]
            host = "a"
            [mqtt.tls]
            enabled = true
            ca_file = "\(file)"
            """, gateway: "g")
    }

    @Test func `another configuration is read at once, the same one after ten minutes`() throws {
        let folder = try TestFolder()
        for name in ["old.pem", "new.pem"] { try folder.write(name, "no certificate") }
        func seconds(_ seconds: Int64) -> MonotonicTime { MonotonicTime(nanoseconds: seconds * 1_000_000_000) }
        let watch = CertificateWatch(try Self.configuration(folder.path("old.pem")))
        #expect(watch.files(at: seconds(10))?.map(\.isUnreadable) == [nil])
        try FileManager.default.removeItem(atPath: folder.path("old.pem"))
        #expect(watch.files(at: seconds(609))?.map(\.isUnreadable) == [nil])
        #expect(watch.files(at: seconds(610))?.map(\.isUnreadable) == [true])
        watch.follow(try Self.configuration(folder.path("new.pem")))
        let found = try #require(watch.files(at: seconds(611))?.first)
        #expect(found.file == folder.path("new.pem") && found.key == "mqtt.tls.ca_file" && found.isUnreadable == nil)
        watch.follow(try GatewayConfiguration.parse("[mqtt]\nhost = \"a\"\n", gateway: "g"))
        #expect(watch.files(at: seconds(612)) == nil)
    }
}
