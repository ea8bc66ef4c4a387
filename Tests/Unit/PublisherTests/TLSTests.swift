// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import GatewayBench
@testable import Journal
@testable import MQTT
@testable import Publisher
@testable import Readings

/// TLS to a real mosquitto, with certificates of the test's own.
@Suite("TLS", .serialized)
struct TLSTests {
    private let shop: CertificateShop

    init() throws {
        shop = try CertificateShop()
        try shop.make("broker", for: "DNS:broker.test")
    }

    private func broker(_ certificate: String = "broker", settings: [String] = ["allow_anonymous true"]) throws
        -> Broker
    {
        try Broker(
            settings: settings + ["certfile \(shop.certificate(certificate))", "keyfile \(shop.key(certificate))"])
    }

    private func expectRefusal(
        _ rig: Rig, _ tls: MQTTConfiguration.TLS, saying reason: String,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async {
        let publisher = rig.publisher { $0.tls = tls }
        publisher.start()
        #expect(await eventually { publisher.statistics.lastError != nil }, sourceLocation: sourceLocation)
        let said = publisher.statistics.lastError ?? ""
        #expect(said.contains(reason), "\(said)", sourceLocation: sourceLocation)
        publisher.stop(drainingFor: .zero)
        #expect(publisher.statistics.protocolVersion == nil, sourceLocation: sourceLocation)
    }

    private func expectDelivery(
        _ rig: Rig, _ tls: MQTTConfiguration.TLS, sourceLocation: SourceLocation = #_sourceLocation
    ) async {
        let publisher = rig.publisher { $0.tls = tls }
        let before = rig.journal.statistics.delivered
        publisher.start()
        rig.append(50)
        #expect(
            await eventually { rig.journal.statistics.delivered == before + 50 },
            "\(publisher.statistics.lastError ?? "")", sourceLocation: sourceLocation)
        publisher.stop(drainingFor: .seconds(1))
    }

    @Test func `the certificate has to be for the server name, whatever the host is`() async throws {
        let rig = try Rig(try broker())
        await expectDelivery(rig, .init(caFile: shop.authority, serverName: "broker.test"))
        await expectRefusal(rig, .init(caFile: shop.authority), saying: "IP address mismatch")
        await expectRefusal(
            rig, .init(caFile: shop.authority, serverName: "other.test"), saying: "ostname mismatch")
        await expectDelivery(rig, .init(caFile: shop.authority, verifyHostname: false))
    }

    @Test func `a certificate for the address needs no name`() async throws {
        try shop.make("address", for: "IP:127.0.0.1")
        let rig = try Rig(try broker("address"))
        await expectDelivery(rig, .init(caFile: shop.authority))
        await expectDelivery(rig, .init(caFile: shop.authority, serverName: "127.0.0.1"))
        await expectRefusal(rig, .init(caFile: shop.authority, serverName: "broker.test"), saying: "ostname mismatch")
    }

    @Test func `an authority that is not trusted is refused, checked name or not`() async throws {
        try shop.makeAuthority("other")
        let rig = try Rig(try broker())
        let other = shop.certificate("other")
        await expectRefusal(rig, .init(caFile: other, serverName: "broker.test"), saying: "the broker's certificate: ")
        await expectRefusal(rig, .init(caFile: other, verifyHostname: false), saying: "the broker's certificate: ")
        await expectRefusal(rig, .init(serverName: "broker.test"), saying: "the broker's certificate: ")
    }

    @Test func `a broker that asks for a certificate gets it, and knows the gateway by it`() async throws {
        try shop.make("gateway", for: "DNS:gateway.test")
        try shop.makeAuthority("other")
        try shop.make("stranger", for: "DNS:gateway.test", by: "other")
        let rig = try Rig(
            try broker(settings: [
                "allow_anonymous false", "cafile \(shop.authority)", "require_certificate true",
                "use_identity_as_username true",
            ]))
        func options(_ name: String) -> MQTTConfiguration.TLS {
            .init(
                caFile: shop.authority, certificateFile: shop.certificate(name), keyFile: shop.key(name),
                serverName: "broker.test")
        }
        await expectDelivery(rig, options("gateway"))
        let stranger = rig.publisher { $0.tls = options("stranger") }
        stranger.start()
        #expect(await eventually { stranger.statistics.lastError != nil })
        stranger.stop(drainingFor: .zero)
        #expect(stranger.statistics.protocolVersion == nil)
    }

    @Test func `files that cannot be used are named`() async throws {
        try shop.make("gateway", for: "DNS:gateway.test")
        let rig = try Rig(try broker())
        let missing = shop.folder.path("missing.pem")
        await expectRefusal(rig, .init(caFile: missing), saying: "mqtt.tls.ca_file \"\(missing)\"")
        await expectRefusal(
            rig,
            .init(caFile: shop.authority, certificateFile: missing, keyFile: shop.key("gateway")),
            saying: "mqtt.tls.certificate_file \"\(missing)\"")
        await expectRefusal(
            rig,
            .init(
                caFile: shop.authority, certificateFile: shop.certificate("gateway"), keyFile: shop.key("broker")),
            saying: "mqtt.tls.key_file \"\(shop.key("broker"))\"")
        let locked = shop.folder.path("locked.key")
        try CertificateShop.openssl([
            "ec", "-in", shop.key("gateway"), "-aes256", "-passout", "pass:secret", "-out", locked,
        ])
        await expectRefusal(
            rig, .init(caFile: shop.authority, certificateFile: shop.certificate("gateway"), keyFile: locked),
            saying: "mqtt.tls.key_file \"\(locked)\"")
    }

    @Test func `the server name is asked for, too, so that one address can serve many names`() async throws {
        try shop.make("default", for: "DNS:default.test")
        let listener = try TLSListener(shop, certificate: "default", forName: "broker.test", use: "broker")
        try askFor("broker.test", at: listener)
        #expect(await eventually { listener.text.contains(#"Hostname in TLS extension: "broker.test""#) })
        // The client sends no name for an address. RFC 6066, 3.
        let silent = try TLSListener(shop, certificate: "default", forName: "broker.test", use: "broker")
        try askFor(nil, at: silent)
        #expect(await eventually { silent.text.contains("CIPHER is") })
        #expect(!silent.text.contains("Hostname in TLS extension"))
    }

    /// Connects, which includes the handshake, and hangs up.
    private func askFor(_ name: String?, at listener: TLSListener) throws {
        var configuration = MQTTConfiguration()
        configuration.tls = .init(caFile: shop.authority, verifyHostname: name != nil, serverName: name)
        let connection = try MQTTConnection(
            configuration, at: BrokerAddress(host: "127.0.0.1", port: listener.port), clientID: "x", version: .v5,
            will: OutgoingMessage(topic: "will", payload: []))
        try connection.connect()
        // The socket does not block: the handshake continues during reads.
        for _ in 0..<200 where connection.failure == nil && connection.wantsWrite == false {
            connection.read()
            usleep(2_000)
        }
        #expect(connection.failure == nil)
    }
}
