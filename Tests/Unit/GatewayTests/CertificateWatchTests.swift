// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Foundation
import Platform
import TestSupport
import Testing
import VirtualRadio

@testable import Configuration
@testable import Gateway
@testable import GatewayBench
@testable import Health

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

    @Test func `a running gateway tells its certificates, and those of a reloaded configuration`() async throws {
        let shop = try CertificateShop()
        try shop.make("old", for: "DNS:a", from: "20200101000000Z", until: "20210101000000Z")
        try shop.make("good", for: "DNS:a", from: "20200101000000Z", until: "20990101000000Z")
        func mqtt(_ name: String) -> String { "[mqtt.tls]\nenabled = true\nca_file = \"\(shop.certificate(name))\"" }
        let scene = try GatewayScene(GatewayScene.counters, on: VirtualRadio(seed: 1), mqtt: mqtt("old"))
        func told() async -> [String] {
            let status = await scene.gateway.currentStatus(within: hangLimit)
            return (status.problems ?? []).filter { $0.part == "certificates" && $0.notes == nil }.map(\.text)
        }
        #expect(await told() == ["mqtt.tls.ca_file has ended on 2021-01-01: \(shop.certificate("old"))"])
        let other = scene.folder.gateway(mqtt: mqtt("good"), entries: GatewayScene.counters)
        scene.gateway.apply(try GatewayConfiguration.parse(other, gateway: "gw-test"))
        #expect(await told() == [])
        let files = await scene.gateway.currentStatus(within: hangLimit).system?.certificates
        #expect(files?.map(\.file) == [shop.certificate("good")])
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
