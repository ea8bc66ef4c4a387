// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import BluetoothHost
import HCI
import Testing
import VirtualRadio

@testable import HostBench

/// Several hosts of ours. Each host is a perfect peer of the other hosts.
final class Duet: AirBench {
    /// Sees every packet between a player's host and its controller.
    var observe: (_ player: Int, _ packet: [UInt8], _ isSent: Bool) -> Void = { _, _, _ in }
    /// Packets for a player's host in place of a packet of its controller.
    var deliver: (_ player: Int, _ packet: [UInt8]) -> [[UInt8]] = { [$1] }

    static let other = ClientID(rawValue: 1)

    /// A host for each of `controllers`.
    init(
        _ controllers: ControllerSettings..., seed: UInt64 = 1, air settings: AirSettings = AirSettings(),
        parameters: ConnectionParameters = .standard, hasPublicAddresses: Bool = true
    ) {
        super.init(on: VirtualAir(seed: seed, settings: settings))
        (providesSecrets, startsAnew) = (true, true)
        for controller in controllers {
            add(controller, parameters: parameters, hasPublicAddress: hasPublicAddresses)
        }
    }

    /// Adds a host, on a controller of its own.
    ///
    /// - Parameter unassigned: The answer of a controller without a public address of its own.
    func add(
        _ controller: ControllerSettings, parameters: ConnectionParameters = .standard, hasPublicAddress: Bool = true,
        unassigned: UInt64 = 0
    ) {
        let number = UInt64(players.count)
        let own = DeviceAddress(kind: .public, value: hasPublicAddress ? 0x0011_2233_4400 + number : unassigned)
        let random = DeviceAddress(kind: .random, value: 0xC000_0000_0F00 + number)
        add(
            HostMachine(randomAddress: random, parameters: parameters),
            on: air.attachController(address: own, settings: controller), address: hasPublicAddress ? own : random)
        exchange()
    }

    /// The advertiser, in most tests.
    var a: Player {
        get { players[0] }
        _modify { yield &players[0] }
    }

    /// The player that scans and connects, in most tests.
    var b: Player {
        get { players[1] }
        _modify { yield &players[1] }
    }

    override func sends(_ packet: [UInt8], _ player: Int) -> Bool {
        players[player].sent.append(packet)
        observe(player, packet, true)
        return true
    }

    override func receives(_ packet: [UInt8], _ player: Int) -> [[UInt8]] {
        observe(player, packet, false)
        return deliver(player, packet)
    }

    /// Flags and a name, which fit a legacy advertisement.
    static let data: [UInt8] = [2, 0x01, 0x06, 5, 0x09] + Array("Duet".utf8)

    func advertise(
        _ demand: AdvertisingDemand = AdvertisingDemand(data: Duet.data), for client: ClientID = Duet.client
    ) {
        players[0].host.setAdvertising(demand, for: client, at: now)
    }

    func scan(_ demand: ScanDemand = ScanDemand(services: nil, allowsDuplicates: true), by player: Int = 1) {
        players[player].host.setScan(demand, for: Self.client, at: now)
    }

    func connect(by player: Int = 1, to peer: Int = 0) {
        players[player].host.connect(players[peer].address, for: Self.client, at: now)
    }

    /// Advertises and connects. Returns the link by the names of both sides.
    func connected() throws -> (a: LinkID, b: LinkID) {
        advertise()
        connect()
        #expect(run(for: .seconds(10)) { self.link(of: 1) != nil && self.centralLink != nil })
        return (try #require(centralLink), try #require(link(of: 1)))
    }

    /// The last link that a Central made to `a`.
    var centralLink: LinkID? {
        a.events.reversed().lazy.compactMap { if case .linkUp(let link, _, .peripheral) = $0 { link } else { nil } }
            .first
    }

    /// Commands with this opcode, sent by `player`.
    func commands(_ opcode: HCIOpcode, of player: Int) -> [[UInt8]] {
        let head = [1, UInt8(truncatingIfNeeded: opcode.rawValue), UInt8(truncatingIfNeeded: opcode.rawValue >> 8)]
        return players[player].sent.filter { $0.starts(with: head) }
    }
}
