// SPDX-License-Identifier: Apache-2.0

import ATT
import BluetoothCore
import GATT
import L2CAP
import SMP
import Testing

@testable import BluetoothHost
@testable import HostBench

/// A host whose program has set no pairing policy: the peers that pair with it, and the peers that do not.
struct PairingDemandTests {
    struct Table: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let characteristic: LocalCharacteristic?
        let demands: Bool

        static func row(_ text: String, _ demands: Bool, _ make: (BluetoothUUID) -> LocalCharacteristic) -> Self {
            Self(testDescription: text, characteristic: make(BluetoothUUID(UInt16(0xFFE8))), demands: demands)
        }
    }

    static let tables = [
        Table(testDescription: "nothing", characteristic: nil, demands: false),
        Table.row("a value for everybody", false) { LocalCharacteristic(uuid: $0, properties: .read, value: [1]) },
        Table.row("a value to be read", true) {
            LocalCharacteristic(uuid: $0, properties: .read, value: [1], read: .encrypted)
        },
        Table.row("a value to be written", true) {
            LocalCharacteristic(uuid: $0, properties: .write, read: .denied, write: .authenticated)
        },
        Table.row("a value to be followed", true) {
            LocalCharacteristic(uuid: $0, properties: [.read, .notify], value: [1], notify: .encrypted)
        },
        Table.row("a value that nobody may have", false) {
            LocalCharacteristic(
                uuid: $0, properties: .write, read: AttributeAccess(isAllowed: false, level: .encrypted), write: .open)
        },
    ]

    private static func scene(_ characteristics: [LocalCharacteristic] = []) throws -> (PairingScene, PublishedService?)
    {
        let scene = try PairingScene()
        scene.duet.a.host.policy.acceptsPairing = .onDemand
        guard !characteristics.isEmpty else { return (scene, nil) }
        let service = LocalService(uuid: BluetoothUUID(UInt16(0xFFE7)), characteristics: characteristics)
        return (scene, try scene.duet.players[0].host.publish(service, for: Duet.client, at: scene.duet.now).get())
    }

    private static let secret = LocalCharacteristic(
        uuid: BluetoothUUID(UInt16(0xFFE8)), properties: .read, value: [1], read: .encrypted)

    @Test(arguments: tables)
    func `a Central pairs on demand as long as something that is published needs it`(table: Table) throws {
        let (scene, published) = try Self.scene(table.characteristic.map { [$0] } ?? [])
        #expect(scene.pair(by: 1) == .started)
        if table.demands {
            #expect(scene.finish() && scene.bond(0)?.isAuthenticated == false)
        } else {
            #expect(scene.run { scene.failure(1) == .refusedByPeer(.pairingNotSupported) })
            #expect(scene.toldOfPairing(0).refusals == [.nothingProtected] && scene.bond(0) == nil)
        }
        guard let published, table.demands else { return }
        // After the service is gone, there is no reason left to pair.
        scene.duet.players[0].host.removeBond(with: scene.address(of: 1))
        scene.duet.players[1].host.removeBond(with: scene.address(of: 0))
        scene.duet.players[0].host.unpublish(published.handles.start, for: Duet.client, at: scene.duet.now)
        try scene.reconnect()
        #expect(scene.pair(by: 1) == .started)
        #expect(scene.run { scene.failure(1) == .refusedByPeer(.pairingNotSupported) } && scene.bond(0) == nil)
    }

    @Test(arguments: [ChannelRequirement.none, .encrypted])
    func `a channel for encrypted links is such a reason, another one is not`(requirement: ChannelRequirement) throws {
        let (scene, _) = try Self.scene()
        #expect(scene.duet.players[0].host.publish(spsm: 0x80, requirement: requirement, for: Duet.client) == 0x80)
        #expect(scene.pair(by: 1) == .started)
        scene.run { scene.hasFinished(0) || scene.failure(1) != nil }
        #expect(scene.hasFinished(0) == (requirement == .encrypted))
    }

    @Test func `a Peripheral that asks is paired with, whatever is published`() throws {
        let scene = try PairingScene()
        scene.duet.b.host.policy.acceptsPairing = .onDemand
        #expect(scene.pair(by: 0) == .started && scene.finish())
    }

    @Test func `where somebody can be asked, he is`() throws {
        let (scene, _) = try Self.scene([Self.secret])
        scene.duet.a.host.policy.hasAgent = true
        scene.consent = .no
        scene.pair(by: 1)
        #expect(scene.run { scene.failure(1) == .refusedByPeer(.pairingNotSupported) })
        #expect(scene.questions[0] == [.consent] && scene.bond(0) == nil)
    }

    @Test(arguments: [false, true], [false, true])
    func `Centrals that nobody has made sure of leave half of the room`(areOfCentrals: Bool, isFull: Bool) throws {
        let (scene, _) = try Self.scene([Self.secret])
        let count = BondTable.capacity / 2 - (isFull ? 0 : 1)
        let bonds = (0..<UInt64(count)).compactMap { number in
            Bond(
                identity: Sample.identity(0x100 + number), keys: .secureConnections(Sample.key(1)), keySize: 16,
                identityKey: nil, isAuthenticated: false, isOfCentral: areOfCentrals)
        }
        scene.duet.a.host.provide(bonds: bonds)
        scene.pair(by: 1)
        guard areOfCentrals, isFull else {
            #expect(scene.finish())
            return
        }
        #expect(scene.run { scene.failure(1) == .refusedByPeer(.unspecifiedReason) })
        #expect(scene.toldOfPairing(0).refusals == [.noRoom] && scene.bond(0) == nil)
        // The host still pairs by our own wish.
        scene.forget()
        scene.open(1)
        #expect(scene.pair(by: 0) == .started && scene.finish())
    }

    @Test func `a bond stays: a Central that has lost its own is refused`() throws {
        let (scene, _) = try Self.scene([Self.secret])
        scene.pair(by: 1)
        #expect(scene.finish())
        let bond = scene.bond(0)
        scene.duet.players[1].host.removeBond(with: scene.address(of: 0))
        try scene.reconnect()
        scene.pair(by: 1)
        #expect(scene.run { scene.failure(1) == .refusedByPeer(.pairingNotSupported) })
        #expect(scene.toldOfPairing(0).refusals == [.bonded] && scene.bond(0) == bond)
    }

    @Test func `every refusal says why, and what to do`() {
        let all = PairingRefusal.allCases
        #expect(all.allSatisfy { !$0.text.isEmpty && !$0.remedy.isEmpty } && Set(all.map(\.text)).count == all.count)
        // A link has a bit for each.
        #expect(all.allSatisfy { $0.rawValue < 8 })
    }
}
