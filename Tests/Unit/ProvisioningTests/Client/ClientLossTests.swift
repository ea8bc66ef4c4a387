// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import CoreBluetooth
import Foundation
import Gateway
import Synchronization
import Testing
import TestSupport

@testable import Provisioning

/// Connections lost in the middle.
@Suite("The client, when the connection is lost", .timeLimit(.minutes(10)))
struct ClientLossTests {
    private static let pem: [UInt8] = {
        let line = String(repeating: "MIIB", count: 16) + "\n"
        let body = String(repeating: line, count: 40)
        return Array("-----BEGIN CERTIFICATE-----\n\(body)-----END CERTIFICATE-----\n".utf8)
    }()

    /// Takes parts of a certificate as the gateway does. `losingAt`: writes, counted from 1, at which the link is lost.
    private final class Upload: Sendable {
        let octets = Mutex<[UInt8]>([])
        let offsets = Mutex<[Int]>([])
        let beginnings = Mutex(0)

        init(on gateway: TestGateway, losingAt losses: Set<Int>) {
            gateway.set(.authority, #"{"size":0,"state":"none"}"#)
            gateway.on(.authority) { [self] gateway, message in
                guard let wanted = try? ControlCoding.decode(AuthorityMessage.self, from: message) else {
                    return .refused(.notValid, "no message")
                }
                beginnings.withLock { $0 += 1 }
                octets.withLock { $0 = [] }
                show(gateway, wanted)
                return .taken
            }
            gateway.on(.authorityData) { [self] gateway, message in
                let offset = message.prefix(4).reversed().reduce(0) { $0 << 8 | Int($1) }
                let count = offsets.withLock { offsets in
                    offsets.append(offset)
                    return offsets.count
                }
                if losses.contains(count) {
                    gateway.dropLink()
                    // The gateway takes the write where the count is even: only the answer is lost.
                    if count % 2 == 1 { return .taken }
                }
                let isNext = octets.withLock { octets in
                    guard octets.count == offset else { return false }
                    octets += message.dropFirst(4)
                    return true
                }
                guard isNext else { return .refused(.notValid, "not where the last one ended") }
                guard
                    let wanted = try? ControlCoding.decode(
                        AuthorityMessage.self, from: Array(gateway.value(.authority).utf8))
                else { return .refused(.nothingThere, "nothing was begun") }
                show(gateway, wanted)
                return .taken
            }
        }

        private func show(_ gateway: TestGateway, _ wanted: AuthorityMessage) {
            var message = wanted
            let count = octets.withLock { $0.count }
            (message.received, message.state) = (count, count == wanted.size ? "complete" : "partial")
            if let octets = try? ControlCoding.encode(message) {
                gateway.setNow(.authority, String(decoding: octets, as: UTF8.self))
            }
        }
    }

    @Test(arguments: [[], [2], [3], [1, 2, 3, 4]] as [Set<Int>])
    func `a certificate arrives whole, and goes on where it was`(losses: Set<Int>) async throws {
        let scene = try await ClientScene()
        let client = try await scene.pairedClient()
        let upload = Upload(on: scene.gateway, losingAt: losses)
        let sent = Mutex<[Int]>([])
        try await client.uploadAuthority(Self.pem) { octets, _ in sent.withLock { $0.append(octets) } }
        #expect(upload.octets.withLock { $0 } == Self.pem)
        #expect(upload.beginnings.withLock { $0 } == 1)
        let parts = (Self.pem.count + 507) / 508
        #expect(upload.offsets.withLock { $0.count } == parts + losses.count { $0 % 2 == 1 })
        #expect(sent.withLock { $0.last } == Self.pem.count)
        // A second upload: the gateway already has the authority.
        try await client.uploadAuthority(Self.pem)
        #expect(upload.beginnings.withLock { $0 } == 1)
    }

    @Test func `what is no certificate, or too large, is not sent`() async throws {
        let scene = try await ClientScene()
        let client = try await scene.pairedClient()
        for octets in [Array("secret key".utf8), Self.pem + Array(repeating: 10, count: 16 * 1024)] {
            let error = await #expect(throws: ProvisioningClientError.self) { try await client.uploadAuthority(octets) }
            #expect(error?.kind == .notValid)
        }
        #expect(scene.gateway.writes(of: .authority).isEmpty)
    }

    // MARK: Applying

    @Test func `applying is told step by step, and its failure with the gateway's reason`() async throws {
        let scene = try await ClientScene()
        let client = try await scene.pairedClient()
        scene.gateway.on(.apply) { gateway, _ in
            gateway.tellNow(
                .apply,
                """
                {"step":"broker","state":"running","limit":20}
                {"step":"broker","state":"failed","reason":"broker-refused","text":"not authorized: see the password"}
                {"step":"rolled-back","state":"done"}

                """)
            return .taken
        }
        let steps = Mutex<[String]>([])
        let error = await #expect(throws: ProvisioningClientError.self) {
            try await client.apply { step in
                steps.withLock { $0.append("\(step.step.rawValue) \(step.state.rawValue)") }
            }
        }
        #expect(error?.kind == .rolledBack("broker-refused"))
        #expect(error?.description == "not authorized: see the password")
        #expect(steps.withLock { $0 } == ["broker running", "broker failed", "rolled-back done"])
        scene.gateway.on(.apply) { gateway, _ in
            gateway.tellNow(.apply, "{\"step\":\"keep\",\"state\":\"done\"}\n{\"step\":\"done\",\"state\":\"done\"}\n")
            return .taken
        }
        try await client.apply()
        #expect(scene.gateway.writes(of: .apply) == ["apply", "apply"])
    }

    /// The gateway's state at the phone's return.
    enum End: CaseIterable { case done, rolledBack, running, restarted, neverBegan }

    @Test(arguments: End.allCases)
    func `the end of applying is learnt over a new connection`(end: End) async throws {
        let scene = try await ClientScene()
        let client = try await scene.pairedClient()
        scene.gateway.on(.apply) { gateway, _ in
            guard gateway.value(.state) != "staged" else {
                // The first request of the last case was lost on its way.
                gateway.tellNow(.apply, "{\"step\":\"done\",\"state\":\"done\"}\n")
                return .taken
            }
            gateway.setNow(.state, end == .neverBegan ? "staged" : "applying")
            gateway.dropLink()
            switch end {
            case .done: gateway.setNow(.apply, #"{"step":"done","state":"done"}"#)
            case .rolledBack:
                gateway.setNow(.apply, #"{"step":"rolled-back","state":"done","reason":"tls","text":"no TLS there"}"#)
            case .running: gateway.setNow(.apply, #"{"step":"connect","state":"running","limit":20}"#)
            case .restarted, .neverBegan: gateway.setNow(.state, end == .restarted ? "provisioned" : "staged")
            }
            return .taken
        }
        let gateway = scene.gateway
        let rest = Task {
            guard end == .running else { return }
            try await waitFor("two subscriptions") { gateway.subscriptionCount(of: .apply) >= 2 }
            // A bonded phone still has its subscription when it returns, and may not listen yet.
            gateway.set(.apply, #"{"step":"done","state":"done"}"#)
            gateway.tell(.apply, "{\"step\":\"done\",\"state\":\"done\"}\n")
        }
        do {
            try await client.apply()
            #expect(end == .done || end == .running || end == .neverBegan)
        } catch {
            switch end {
            case .rolledBack: #expect(error == ProvisioningClientError(.rolledBack("tls"), "no TLS there"))
            case .restarted: #expect(error.kind == .rolledBack("restarted"))
            default: Issue.record("\(error)")
            }
        }
        #expect(scene.gateway.writes(of: .apply).count == (end == .neverBegan ? 2 : 1))
        try await rest.value
    }

    @Test func `a gateway that says nothing any more is given up`() async throws {
        let scene = try await ClientScene()
        var patience = ProvisioningClient.Patience()
        patience.silence = .milliseconds(50)
        let client = try await scene.pairedClient(patience)
        scene.gateway.on(.apply) { gateway, _ in
            gateway.tellNow(.apply, "{\"step\":\"connect\",\"state\":\"running\",\"limit\":0}\n")
            return .taken
        }
        let error = await #expect(throws: ProvisioningClientError.self) { try await client.apply() }
        #expect(error?.kind == .silent)
    }

    @Test func `a gateway that does not come back is told`() async throws {
        let scene = try await ClientScene()
        var patience = ProvisioningClient.Patience()
        (patience.connection, patience.attempts) = (.milliseconds(200), 2)
        let client = try await scene.pairedClient(patience)
        scene.gateway.on(.apply) { gateway, _ in
            gateway.dropLink()
            gateway.vanish()
            return .taken
        }
        let error = await #expect(throws: ProvisioningClientError.self) { try await client.apply() }
        #expect(error?.kind == .unreachable)
    }
}
