// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Foundation
import Glibc
import Testing

@testable import Gateway
@testable import GatewayBench
@testable import MQTT
@testable import Publisher

/// The advice to a person without a connection to the broker: the cause and the remedy. The broker is a real mosquitto, as far as mosquitto
/// can cause the fault.
@Suite("Advice on connections", .serialized)
struct BrokerAdviceTests {
    private static func secured(_ shop: CertificateShop, _ certificate: String, settings: [String] = []) throws
        -> Broker
    {
        try Broker(
            settings: ["certfile \(shop.certificate(certificate))", "keyfile \(shop.key(certificate))"]
                + (settings.isEmpty ? ["allow_anonymous true"] : settings))
    }

    /// The first complaint in `martlet status` and in the log.
    private func complaint(
        _ rig: Rig, sourceLocation: SourceLocation = #_sourceLocation,
        _ change: (inout MQTTConfiguration) -> Void = { _ in }
    ) async throws -> String {
        let log = LogLines()
        let publisher = rig.publisher(logger: log.logger, change)
        publisher.start()
        #expect(
            await eventually(within: .seconds(60)) { log.text.contains("no connection to the broker") },
            sourceLocation: sourceLocation)
        // The attempts continue, and the same obstacle may cause different errors. The log has the first error.
        var said: String?
        let isTold = await eventually {
            said = publisher.statistics.lastError
            // Later failures of the same kind may have another time.
            let words = said?.components(separatedBy: ", which says ").first
            return words.map { log.text.contains("error=\($0)") } ?? false
        }
        #expect(isTold, "\(said ?? "nothing") is not in the log: \(log.text)", sourceLocation: sourceLocation)
        publisher.stop(drainingFor: .zero)
        #expect(publisher.statistics.protocolVersion == nil, sourceLocation: sourceLocation)
        return try #require(said, sourceLocation: sourceLocation)
    }

    @Test func `a wrong password is not taken for a missing right`() async throws {
        let folder = try TestFolder()
        let passwords = Process()
        passwords.executableURL = URL(fileURLWithPath: "/usr/bin/mosquitto_passwd")
        passwords.arguments = ["-c", "-b", folder.path("passwords"), "gateway", "right"]
        try passwords.runReachable()
        passwords.waitUntilExit()
        let rig = try Rig(
            try Broker(settings: ["allow_anonymous false", "password_file \(folder.path("passwords"))"]))
        let wrong = try await complaint(rig) {
            $0.username = "gateway"
            $0.password = Secret("hunter2")
        }
        #expect(
            wrong
                == "the broker refuses the connection: Not authorized (0x87): user or password wrong, or not allowed: check "
                + "mqtt.username, the password, and what the broker allows this user")
        let none = try await complaint(rig)
        #expect(none.hasSuffix("allow this client: give both (mqtt.username, mqtt.password_file)"), "\(none)")
    }

    /// The return codes of MQTT 3.1.1, and the reasons of MQTT 5.
    @Test(arguments: [MQTTReason(returnCode: 4), .init(returnCode: 5), .init(rawValue: 0x86), .init(rawValue: 0x87)])
    func `every way to refuse a user is explained alike`(_ reason: MQTTReason) {
        #expect(MQTTFailure.refused(reason).description.contains("user or password wrong, or not allowed"))
    }

    @Test func `a name that cannot be looked up is named, and says what to check`() async throws {
        let rig = try Rig(portWithoutBroker: 1)
        let said = try await complaint(rig) { $0.host = "no-such-host.invalid" }
        #expect(said.hasPrefix("the broker's name \"no-such-host.invalid\" cannot be looked up ("), "\(said)")
        #expect(said.hasSuffix("): check it (mqtt.host), and the name servers of this machine"), "\(said)")
        #expect(!said.contains("Lookup error"))
        let local = MQTTFailure.unknownHost(EAI_NONAME).explained(
            at: BrokerAddress(host: "broker.local", port: 1883), MQTTConfiguration())
        #expect(local.contains("libnss-mdns"))
    }

    @Test func `a port on which nobody listens is named`() async throws {
        let port = try TestPorts.next()
        let said = try await complaint(try Rig(portWithoutBroker: port))
        #expect(said.hasPrefix("127.0.0.1:\(port): Connection refused: nothing listens there"), "\(said)")
    }

    @Test(arguments: [
        (EHOSTUNREACH, "No route to host"), (ENETUNREACH, "Network is unreachable"), (ETIMEDOUT, "timed out"),
    ])
    func `a host that cannot be reached is named with its port`(_ code: Int32, _ words: String) {
        let said = MQTTFailure.system(code).explained(
            at: BrokerAddress(host: "10.0.0.7", port: 1884), MQTTConfiguration())
        #expect(said.hasPrefix("10.0.0.7:1884: ") && said.contains(words) && said.contains("mqtt.host"), "\(said)")
    }

    @Test func `a broker that expects TLS is recognised, whatever its port is`() async throws {
        let shop = try CertificateShop()
        try shop.make("broker", for: "DNS:broker.test")
        let rig = try Rig(try Self.secured(shop, "broker"))
        let address = rig.configuration().brokerNames
        let said = try await complaint(rig)
        #expect(said == "\(address) speaks TLS, and the gateway does not: turn TLS on (mqtt.tls.enabled = true)")
        // With several brokers, too.
        let several = try await complaint(rig) { $0.brokers = [address, address] }
        #expect(several == said)
    }

    @Test func `a broker that knows no TLS is recognised, whatever its port is`() async throws {
        let rig = try Rig(try Broker())
        let address = rig.configuration().brokerNames
        let said = try await complaint(rig) { $0.tls = .init() }
        #expect(
            said
                == "\(address) speaks MQTT without TLS: give the broker's port for TLS (mqtt.port), or turn TLS "
                + "off (mqtt.tls.enabled = false)")
    }

    /// The advice guesses nothing from a connection that ends without a packet.
    @Test func `what speaks neither is called neither`() async throws {
        let rig = try Rig(try ScriptedBroker { _ in [.close] })
        for tls in [nil, MQTTConfiguration.TLS()] {
            let said = try await complaint(rig) { $0.tls = tls }
            #expect(!said.contains("speaks"), "\(said)")
        }
    }

    @Test func `a broker behind what speaks TLS for it is recognised, too`() async throws {
        let shop = try CertificateShop()
        try shop.make("broker", for: "DNS:broker.test")
        let broker = try ScriptedBroker { ScriptedBroker.obliging($0) }
        let rig = try Rig(try TLSFront(shop, certificate: "broker", before: broker.port))
        #expect(try await complaint(rig).contains("speaks TLS"))
        withExtendedLifetime(broker) {}
    }

    @Test func `an authority that is not trusted, and a name that does not match, name the keys for them`() async throws
    {
        let shop = try CertificateShop()
        try shop.make("broker", for: "DNS:broker.test")
        try shop.makeAuthority("other")
        let rig = try Rig(try Self.secured(shop, "broker"))
        let name = try await complaint(rig) { $0.tls = .init(caFile: shop.authority) }
        #expect(
            name.hasSuffix("it is not for 127.0.0.1: give the name that it is for (mqtt.tls.server_name)"), "\(name)")
        let other = shop.certificate("other")
        let authority = try await complaint(rig) { $0.tls = .init(caFile: other, serverName: "broker.test") }
        #expect(
            authority.hasSuffix("its authority is not among the CA certificates given (mqtt.tls.ca_file \"\(other)\")"),
            "\(authority)")
        let system = try await complaint(rig) { $0.tls = .init(serverName: "broker.test") }
        #expect(system.contains("give the CA certificate of its authority (mqtt.tls.ca_file)"), "\(system)")
    }

    @Test(arguments: [
        ("20200101000000Z", "20210101000000Z", "certificate has expired: renew it where it is; but is the clock"),
        ("20490101000000Z", "20491231000000Z", "certificate is not yet valid: is the clock of this machine right"),
    ])
    func `a certificate of another time points to the clock`(_ begin: String, _ end: String, _ words: String)
        async throws
    {
        let shop = try CertificateShop()
        try shop.make("broker", for: "DNS:broker.test", from: begin, until: end)
        let rig = try Rig(try Self.secured(shop, "broker"))
        let said = try await complaint(rig) { $0.tls = .init(caFile: shop.authority, serverName: "broker.test") }
        #expect(said.contains(words), "\(said)")
        #expect(said.contains(Date.now.formatted(.iso8601).prefix(5)), "\(said)")
    }

    @Test func `a broker that wants a certificate of the gateway says which keys are missing`() async throws {
        let shop = try CertificateShop()
        try shop.make("broker", for: "DNS:broker.test")
        let rig = try Rig(
            try Self.secured(
                shop, "broker",
                settings: ["allow_anonymous true", "cafile \(shop.authority)", "require_certificate true"]))
        let said = try await complaint(rig) { $0.tls = .init(caFile: shop.authority, serverName: "broker.test") }
        #expect(said.contains("set mqtt.tls.certificate_file and mqtt.tls.key_file"), "\(said)")
    }
}
