// SPDX-License-Identifier: Apache-2.0

import CoreBluetooth
import Foundation
import Gateway
import Synchronization
import Testing
import TestSupport

@testable import Provisioning

/// The client and a gateway with the test's answers, over the air.
@Suite("The client of the configuration service", .timeLimit(.minutes(10)))
struct ClientTests {
    @Test func `what is open is read without pairing, and the rest is not`() async throws {
        let scene = try await ClientScene()
        let client = try await scene.client()
        #expect(client.gateway.name == "Attic" && client.gateway.isCalled("attic"))
        let presentation = try await client.presentation()
        #expect(
            presentation
                == GatewayPresentation(
                    model: "Martlet 1.0.0 on a bench", name: "Attic", state: "unprovisioned",
                    nextStep: "Enter the passkey"))
        let error = await #expect(throws: ProvisioningClientError.self) { try await client.broker() }
        #expect(error?.kind == .refused(0x05))
        #expect(scene.controller.bonds.isEmpty && scene.gateway.controller.bonds.isEmpty)
    }

    @Test func `another version of the protocol is told, and nothing is asked`() async throws {
        let scene = try await ClientScene()
        scene.gateway.set(.protocolVersion, "2")
        let error = await #expect(throws: ProvisioningClientError.self) { try await scene.client() }
        #expect(
            error?.description
                == "The gateway speaks version 2 of the protocol, this program version 1: update the older of the two.")
    }

    @Test func `a wrong passkey is asked again, and the bond opens the gateway from then on`() async throws {
        let scene = try await ClientScene()
        let client = try await scene.client()
        let troubles = Mutex<[String?]>([])
        try await client.authenticate { trouble in
            troubles.withLock { $0.append(trouble?.reason) }
            return trouble == nil ? CBPasskey("123456") : CBPasskey(ClientScene.passkey)
        }
        #expect(troubles.withLock { $0 } == [nil, "wrong-passkey"])
        #expect(scene.controller.bonds.map(\.isAuthenticated) == [true])
        await client.disconnect()
        try await client.connect()
        try await client.authenticate { _ in
            Issue.record("nobody is to be asked")
            return nil
        }
    }

    @Test func `without a passkey nobody pairs`() async throws {
        let scene = try await ClientScene()
        let client = try await scene.client()
        let error = await #expect(throws: ProvisioningClientError.self) { try await client.authenticate { _ in nil } }
        #expect(error?.kind == .passkeyWanted)
        let step = try await client.presentation().nextStep
        #expect(error?.description.contains(step) == true)
        scene.gateway.controller.pairingPolicy.incoming = .closed
        let closed = await #expect(throws: ProvisioningClientError.self) {
            try await client.authenticate { _ in CBPasskey(ClientScene.passkey) }
        }
        #expect(closed?.kind == .closed && scene.controller.bonds.isEmpty)
    }

    @Test func `a gateway that has forgotten this machine is paired with anew, with a passkey only`() async throws {
        let scene = try await ClientScene()
        let client = try await scene.pairedClient()
        await client.disconnect()
        let bond = try #require(scene.gateway.controller.bonds.first)
        scene.gateway.controller.removeBond(withIdentifier: bond.identifier)
        let error = await #expect(throws: ProvisioningClientError.self) { try await client.open { _ in nil } }
        #expect(error?.kind == .bondLost && scene.controller.bonds.count == 1)
        let reason = Mutex<String?>(nil)
        try await client.open { trouble in
            reason.withLock { $0 = trouble?.reason }
            return CBPasskey(ClientScene.passkey)
        }
        #expect(reason.withLock { $0 } == "bond-lost" && scene.gateway.controller.bonds.count == 1)
    }

    @Test func `a write that is refused is told in the gateway's words, without control characters`() async throws {
        let scene = try await ClientScene()
        let client = try await scene.pairedClient()
        scene.gateway.on(.country) { _, _ in .refused(.notValid, "there is no country XX\u{1B}[2J") }
        let error = await #expect(throws: ProvisioningClientError.self) { try await client.setCountry("XX") }
        #expect(error?.kind == .refused(0x80))
        #expect(error?.description == "Wi-Fi country: there is no country XX?[2J")
        scene.gateway.on(.identify) { _, _ in .refused(.notSupported, "") }
        let other = await #expect(throws: ProvisioningClientError.self) { try await client.identify() }
        #expect(other?.reason == "not-supported" && other?.description == "Identify: this gateway has no such thing")
    }

    @Test func `values that are longer than a packet are written and read whole`() async throws {
        let scene = try await ClientScene()
        let client = try await scene.pairedClient()
        var broker = BrokerMessage()
        (broker.host, broker.password) = (String(repeating: "a.", count: 120) + "example", "pass")
        try await client.setBroker(broker)
        let written = try #require(scene.gateway.writes(of: .broker).first)
        #expect(try ControlCoding.decode(BrokerMessage.self, from: Array(written.utf8)) == broker)
        scene.gateway.set(.broker, written)
        #expect(try await client.broker() == broker)
        broker.username = String(repeating: "u", count: 500)
        let error = await #expect(throws: ProvisioningClientError.self) { try await client.setBroker(broker) }
        #expect(error?.kind == .notValid && scene.gateway.writes(of: .broker).count == 1)
    }

    @Test func `networks come as lines, and a reason instead of a list is an error`() async throws {
        let scene = try await ClientScene()
        let client = try await scene.pairedClient()
        scene.gateway.on(.networks) { gateway, _ in
            gateway.tellNow(
                .networks,
                """
                {"ssid":"Attic","strength":70,"security":"wpa2"}
                nonsense
                {"ssid":"","strength":60}
                {"ssid":"Café","strength":40,"security":"open"}
                {"end":true}

                """)
            return .taken
        }
        #expect(try await client.scanNetworks().map(\.ssid) == ["Attic", "Café"])
        scene.gateway.on(.networks) { gateway, _ in
            gateway.tellNow(.networks, "{\"end\":true,\"reason\":\"no-country\",\"text\":\"set the country first\"}\n")
            return .taken
        }
        let error = await #expect(throws: ProvisioningClientError.self) { try await client.scanNetworks() }
        #expect(error?.reason == "no-country" && error?.description == "set the country first")
    }

    @Test func `sensors are told until there are enough`() async throws {
        let scene = try await ClientScene()
        let client = try await scene.pairedClient()
        let gateway = scene.gateway
        let teller = Task {
            try await waitFor("a subscription") { gateway.subscriptionCount(of: .sensors) > 0 }
            gateway.tell(
                .sensors,
                """
                {"address":"C0:00:00:00:00:01","rssi":-70,"family":"heart_rate","accepted":false}
                {"address":"C0:00:00:00:00:02","rssi":-50,"accepted":false}
                {"address":"C0:00:00:00:00:01","rssi":-40,"accepted":true,"values":["61 bpm"]}

                """)
        }
        let heard = try await client.sensors(within: .seconds(300)) { sensors in sensors.contains(where: \.accepted) }
        #expect(heard.map(\.address) == ["C0:00:00:00:00:01", "C0:00:00:00:00:02"])
        #expect(heard.first?.values == ["61 bpm"])
        try await teller.value
    }
}
