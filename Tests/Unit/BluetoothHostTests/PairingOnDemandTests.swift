// SPDX-License-Identifier: Apache-2.0

import ATT
import BluetoothCore
import GATT
import HCI
import L2CAP
import SMP
import Testing
import VirtualRadio

@testable import BluetoothHost
@testable import HostBench

/// Requests that are refused for lack of security, and are repeated on the secured link.
struct PairingOnDemandTests {
    private static let service = LocalService(
        uuid: BluetoothUUID(UInt16(0xFFE8)),
        characteristics: [
            LocalCharacteristic(
                uuid: BluetoothUUID(UInt16(0xFFE9)), properties: .read, value: [6], read: .encrypted),
            LocalCharacteristic(
                uuid: BluetoothUUID(UInt16(0xFFEA)), properties: .read, value: [7], read: .authenticated),
            LocalCharacteristic(
                uuid: BluetoothUUID(UInt16(0xFFEB)), properties: [.read, .notify], value: [8], notify: .encrypted),
        ])

    /// One player has the service, the other player reads it.
    private final class Served {
        let scene: PairingScene
        let client: Int
        private let published: PublishedService
        private var number: UInt64 = 0

        /// `client`: 1, the Central; 0, the Peripheral, to whom the Central's link is given.
        init(client: Int = 1) throws {
            scene = try PairingScene()
            self.client = client
            published = try scene.duet.players[1 - client].host
                .publish(PairingOnDemandTests.service, for: Duet.client, at: scene.duet.now).get()
            join()
        }

        /// A Peripheral's client shares the link that the Central has made.
        func join() {
            guard client == 0 else { return }
            scene.duet.players[0].host.connect(scene.address(of: 1), for: Duet.client, at: scene.duet.now)
            scene.run(for: .seconds(2))
        }

        func handle(_ index: Int) -> UInt16 { published.characteristics[index].valueHandle }

        /// The result of a request.
        func ask(_ request: GATTRequest, for limit: Duration = .seconds(20)) -> Result<GATTResponse, GATTError>? {
            number += 1
            let id = GATTRequestID(client: Duet.client, number: number)
            scene.duet.players[client].host.request(
                request, id: id, on: scene.link(client), at: scene.duet.now)
            scene.run(for: limit) { answer(to: id) != nil }
            return answer(to: id)
        }

        func read(_ index: Int, for limit: Duration = .seconds(20)) -> Result<GATTResponse, GATTError>? {
            ask(.read(handle: handle(index)), for: limit)
        }

        private func answer(to id: GATTRequestID) -> Result<GATTResponse, GATTError>? {
            scene.duet.players[client].events.lazy.compactMap { event in
                if case .completed(id, let result) = event { result } else { nil }
            }.first
        }

        var started: [UInt64] { [scene.counters(0).pairingsStarted, scene.counters(1).pairingsStarted] }

        /// Requests for the value that the server has received and answered, with an error or with the value.
        func requests(_ index: Int) -> Int {
            scene.duet.players[client].sent.count {
                $0.count >= 12 && $0[0] == 2 && $0[7] == 4 && $0[9] == 0x0A && $0[10] == UInt8(handle(index))
            }
        }
    }

    /// GAP/SEC/AUT/BV-13, 14, 17 and 18.
    @Test(arguments: [0, 1])
    func `a client pairs where the server wants it, and gets the value`(client: Int) throws {
        let served = try Served(client: client)
        served.scene.open(1 - client)
        served.scene.duet.forget()
        #expect(served.read(0) == .success(.value([6])))
        #expect(served.requests(0) == 2)
        #expect(served.started == [1, 1])
        #expect(served.scene.bond(0)?.keys == served.scene.bond(1)?.keys && served.scene.bond(0) != nil)
        #expect(served.read(0) == .success(.value([6])))
        #expect(served.started == [1, 1])
        #expect(served.scene.duet.violations == [])
    }

    @Test(arguments: [0, 1])
    func `a server that does not pair leaves the client with its first error`(client: Int) throws {
        let served = try Served(client: client)
        #expect(served.read(0) == .failure(.refused(.insufficientAuthentication)))
        #expect(!served.scene.isDown(0) && served.scene.bond(0) == nil && served.scene.bond(1) == nil)
        #expect(served.read(2) == .success(.value([8])), "the link is as good as before")
    }

    @Test func `a Central without an answer does not keep a Peripheral's client waiting for ever`() throws {
        let served = try Served(client: 0)
        served.scene.duet.b.host.policy.hasAgent = true
        served.scene.open(1)
        // The Central does not let its controller's word through.
        served.scene.duet.providesSecrets = false
        while served.scene.duet.a.host.pairing.takeSecrets() != nil {}
        while served.scene.duet.b.host.pairing.takeSecrets() != nil {}
        #expect(served.read(0, for: .seconds(40)) == .failure(.refused(.insufficientAuthentication)))
    }

    @Test(arguments: [0, 1])
    func `a policy against it leaves every error as it is`(client: Int) throws {
        let served = try Served(client: client)
        served.scene.setPolicy {
            $0.acceptsPairing = .open
            $0.pairsOnDemand = false
        }
        #expect(served.read(0) == .failure(.refused(.insufficientAuthentication)))
        #expect(served.started == [0, 0] && served.requests(0) == 1)
    }

    @Test func `a key that is not authenticated is replaced only where that is allowed`() throws {
        let served = try Served()
        served.scene.open(0)
        #expect(served.read(0) == .success(.value([6])))
        let bond = served.scene.bond(1)
        #expect(bond?.isAuthenticated == false)
        served.scene.setPolicy { $0.ioCapability = .displayYesNo }
        #expect(served.read(1) == .failure(.refused(.insufficientAuthentication)))
        #expect(served.started == [1, 1] && served.scene.bond(1) == bond)

        served.scene.setPolicy { $0.replacement = .unlessWeaker }
        #expect(served.read(1) == .success(.value([7])))
        #expect(served.started == [2, 2] && served.scene.bond(1)?.isAuthenticated == true)
        #expect(served.scene.bond(0)?.keys == served.scene.bond(1)?.keys)
        #expect(served.scene.duet.violations == [])
    }

    @Test func `nobody pairs again for a key that would be no better`() throws {
        let served = try Served()
        served.scene.open(0)
        served.scene.setPolicy { $0.replacement = .unlessWeaker }
        #expect(served.read(1) == .failure(.refused(.insufficientAuthentication)))
        // After an unauthenticated key, a single attempt is enough.
        #expect(served.started == [1, 1])
        #expect(served.read(1) == .failure(.refused(.insufficientAuthentication)))
        #expect(served.started == [1, 1])
    }

    @Test func `a known passkey that has failed three times is not risked again on demand`() throws {
        let served = try Served()
        served.scene.open(0)
        served.scene.duet.a.host.policy.passkeys = [served.scene.address(of: 1): 123_456]
        served.scene.duet.b.host.policy.passkeys = [served.scene.address(of: 0): 654_321]
        for _ in 0..<PairingAttempts.knownPasskeyLimit + 2 {
            #expect(served.read(0) == .failure(.refused(.insufficientAuthentication)))
            // The pause after failures is over.
            served.scene.run(for: .seconds(30))
        }
        #expect(served.started[1] == UInt64(PairingAttempts.knownPasskeyLimit))
    }

    @Test func `requests begin no pairing in the pause after failures`() throws {
        let served = try Served()
        served.scene.open(0)
        served.scene.setPolicy { ($0.ioCapability, $0.requiresAuthentication) = (.displayYesNo, true) }
        served.scene.comparison = .no
        for _ in 0..<PairingAttempts.limit {
            #expect(served.read(0) == .failure(.refused(.insufficientAuthentication)))
        }
        let started = served.started[1]
        #expect(started == UInt64(PairingAttempts.limit))
        #expect(served.read(0, for: .milliseconds(500)) == .failure(.refused(.insufficientAuthentication)))
        #expect(served.started[1] == started)
        served.scene.run(for: .seconds(2))
        #expect(served.read(0) == .failure(.refused(.insufficientAuthentication)))
        #expect(served.started[1] == started + 1)
    }

    // MARK: With a bond

    /// GAP/SEC/AUT/BV-20.
    @Test(arguments: [0, 1])
    func `a client with a bond encrypts, and does not pair`(client: Int) throws {
        let served = try Served(client: client)
        served.scene.open(1 - client)
        #expect(served.read(0) == .success(.value([6])))
        served.scene.setPolicy { $0.encryptsAtConnection = false }
        try served.scene.reconnect()
        if client == 0 {
            // The client normally gets a bonded peer's link after the proof. Here, the client gets the link before.
            let handle = try #require(served.scene.duet.a.host.links.handle(of: served.scene.links.a))
            served.scene.duet.players[0].host.links[handle]?.clients.insert(ClientSet(Duet.client))
        }
        #expect(served.scene.security(client)?.isEncrypted == false)
        #expect(served.read(0) == .success(.value([6])))
        #expect(served.started == [1, 1] && served.scene.security(client)?.isEncrypted == true)
        #expect(served.scene.duet.violations == [])
    }

    /// GAP/SEC/AUT/BV-22, 26 and 28: the Central has lost its bond, and says so by pairing anew, or refuses. Our window
    /// is closed, so a policy that lets bonds be replaced changes nothing.
    @Test(arguments: [false, true], [SecurityPolicy.Replacement.never, .unlessWeaker])
    func `a bond that the Central has lost is told, and kept`(
        pairsAnew: Bool, replacement: SecurityPolicy.Replacement
    ) throws {
        let served = try Served(client: 0)
        served.scene.open(1)
        #expect(served.read(0) == .success(.value([6])))
        let bond = try #require(served.scene.bond(0))
        served.scene.duet.b.host.removeBond(with: served.scene.address(of: 0))
        served.scene.duet.b.host.policy.acceptsPairing = pairsAnew ? .open : .closed
        served.scene.duet.a.host.policy.replacement = replacement
        try served.scene.reconnect()
        _ = served.scene.duet.a.host.takeBondChanges()
        let handle = try #require(served.scene.duet.a.host.links.handle(of: served.scene.links.a))
        served.scene.duet.players[0].host.links[handle]?.clients.insert(ClientSet(Duet.client))
        #expect(served.read(0) == .failure(.refused(.insufficientAuthentication)))
        let told = served.scene.duet.a.events.contains { event in
            if case .encryptionFailed(_, .pinOrKeyMissing) = event { true } else { false }
        }
        #expect(told == pairsAnew)
        #expect(served.scene.run { served.scene.isDown(0) } == pairsAnew)
        #expect(served.scene.bond(0) == bond && served.scene.duet.a.host.takeBondChanges().isEmpty)
        #expect(served.scene.counters(0).pairingsStarted == 1)
    }

    // MARK: Channels

    @Test(arguments: [0, 1], [false, true])
    func `a channel opens once the link has what it needs`(client: Int, isAccepted: Bool) throws {
        let scene = try PairingScene()
        let spsm = scene.duet.players[1 - client].host.publish(
            spsm: 0x80, requirement: .encrypted, for: Duet.client)
        #expect(spsm == 0x80)
        if isAccepted { scene.open(1 - client) }
        let id = GATTRequestID(client: Duet.client, number: 5)
        scene.duet.players[client].host.openChannel(spsm: 0x80, on: scene.link(client), id: id, at: scene.duet.now)
        var outcome: ChannelEvent?
        scene.run(for: .seconds(20)) {
            for case .channel(let event) in scene.duet.players[client].events { outcome = event }
            return outcome != nil
        }
        if isAccepted {
            guard case .opened(let opening) = outcome else {
                Issue.record("no channel: \(String(describing: outcome))")
                return
            }
            #expect(opening.request == id && opening.spsm == 0x80)
        } else {
            #expect(outcome == .failed(id, .refused(.insufficientAuthentication)))
        }
        #expect(scene.duet.violations == [])
    }

    // MARK: Subscriptions

    /// A bonded client's subscription lasts, and no value leaves on a plain link.
    @Test func `a subscription that was made before the bond lasts with it`() throws {
        let served = try Served()
        served.scene.open(0)
        let handle = served.handle(2)
        #expect(served.ask(.configure(valueHandle: handle, endHandle: handle + 1, .notification)) == .success(.written))
        let server = served.scene.link(0)
        #expect(served.scene.duet.a.host.subscriptions(on: server).contains(handle))
        served.scene.setPolicy { $0.encryptsAtConnection = false }
        try served.scene.reconnect()
        let link = served.scene.links.a
        served.scene.duet.players[0].host.update(handle, [1], on: [link], for: Duet.client, at: served.scene.duet.now)
        served.scene.run(for: .seconds(2))
        #expect(served.scene.duet.b.values.isEmpty)
        #expect(served.scene.duet.b.host.encrypt(served.scene.links.b, at: served.scene.duet.now) == .started)
        #expect(served.scene.run { served.scene.security(0)?.isEncrypted == true })
        #expect(served.scene.duet.a.host.subscriptions(on: link).contains(handle))
        served.scene.duet.players[0].host.update(handle, [2], on: [link], for: Duet.client, at: served.scene.duet.now)
        #expect(served.scene.run { served.scene.duet.b.values.map(\.octets) == [[2]] })
    }
}
