// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import BluetoothHost
import HCI
import Testing
import VirtualRadio

/// Several hosts, each on a controller of its own, in one air, one thread and virtual time: each is a perfect peer of the
/// others.
final class Duet {
    /// One host with what it told its clients.
    struct Player {
        let controller: AirNodeID
        let address: DeviceAddress
        var host: HostMachine
        var events: [HostEvent] = []
        var advertisements: [(advertisement: Advertisement, data: [UInt8])] = []
        var values: [[UInt8]] = []
        /// H4 packets that went to the controller.
        var sent: [[UInt8]] = []
    }

    let air: VirtualAir
    private(set) var now = MonotonicTime.zero
    var players: [Player] = []
    /// Sees every packet that passes between a player's host and its controller.
    var observe: (_ player: Int, _ packet: [UInt8], _ isSent: Bool) -> Void = { _, _, _ in }
    /// What a player's host gets instead of a packet of its controller.
    var deliver: (_ player: Int, _ packet: [UInt8]) -> [[UInt8]] = { [$1] }
    /// As the radio thread does it.
    var providesSecrets = true

    static let client = ClientID(rawValue: 0)
    static let other = ClientID(rawValue: 1)

    /// One host for each of `controllers`.
    init(
        _ controllers: ControllerSettings..., seed: UInt64 = 1, air settings: AirSettings = AirSettings(),
        parameters: ConnectionParameters = .standard, hasPublicAddresses: Bool = true
    ) {
        air = VirtualAir(seed: seed, settings: settings)
        for controller in controllers {
            add(controller, parameters: parameters, hasPublicAddress: hasPublicAddresses)
        }
    }

    /// One more host, on a controller of its own.
    ///
    /// - Parameter unassigned: What a controller without a public address of its own answers.
    func add(
        _ controller: ControllerSettings, parameters: ConnectionParameters = .standard, hasPublicAddress: Bool = true,
        unassigned: UInt64 = 0
    ) {
        let number = players.count
        let own = DeviceAddress(
            kind: .public, value: hasPublicAddress ? 0x0011_2233_4400 + UInt64(number) : unassigned)
        let random = DeviceAddress(kind: .random, value: 0xC000_0000_0F00 + UInt64(number))
        let node = air.attachController(address: own, settings: controller)
        let host = HostMachine(randomAddress: random, parameters: parameters)
        players.append(Player(controller: node, address: hasPublicAddress ? own : random, host: host))
        players[number].host.start(at: now)
        exchange()
    }

    /// Who advertises, in most tests.
    var a: Player {
        get { players[0] }
        _modify { yield &players[0] }
    }

    /// Who scans and connects, in most tests.
    var b: Player {
        get { players[1] }
        _modify { yield &players[1] }
    }

    /// Flags and a name: what fits a legacy advertisement.
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

    /// Advertises, connects, and gives the link as both sides name it.
    func connected() throws -> (a: LinkID, b: LinkID) {
        advertise()
        connect()
        #expect(run(for: .seconds(10)) { self.link(of: 1) != nil && self.centralLink != nil })
        return (try #require(centralLink), try #require(link(of: 1)))
    }

    /// The last link that a client of `player` got.
    func link(of player: Int) -> LinkID? {
        players[player].events.reversed().lazy.compactMap {
            if case .connected(let link, _, _) = $0 { link } else { nil }
        }.first
    }

    /// The last link that a central made to `a`.
    var centralLink: LinkID? {
        a.events.reversed().lazy.compactMap { if case .linkUp(let link, _, .peripheral) = $0 { link } else { nil } }
            .first
    }

    func count(_ player: Int, _ matches: (HostEvent) -> Bool) -> Int { players[player].events.count(where: matches) }

    /// Commands with this opcode that `player` has sent.
    func commands(_ opcode: HCIOpcode, of player: Int) -> [[UInt8]] {
        let head = [1, UInt8(truncatingIfNeeded: opcode.rawValue), UInt8(truncatingIfNeeded: opcode.rawValue >> 8)]
        return players[player].sent.filter { $0.starts(with: head) }
    }

    func forget() {
        for index in players.indices {
            (players[index].events, players[index].advertisements, players[index].sent) = ([], [], [])
            players[index].values = []
        }
    }

    /// What any of them did that the specification forbids.
    var violations: [String] { players.flatMap { air.violations(of: $0.controller) } }

    /// Lets all sides run until `condition` holds, or for `limit` of virtual time; true when it held.
    @discardableResult
    func run(for limit: Duration, until condition: () -> Bool = { false }) -> Bool {
        let end = now + limit
        var turns = 0
        while true {
            exchange()
            if condition() { return true }
            let deadlines = [air.deadline] + players.map(\.host.deadline)
            guard let next = deadlines.compactMap({ $0 }).min(), max(next, now) <= end else {
                now = end
                air.advance(to: now)
                return false
            }
            // A deadline that stays in the past would keep the radio thread awake for ever.
            turns = next > now ? 0 : turns + 1
            guard turns < 1_000 else {
                Issue.record("time stands still at \(now): \(deadlines)")
                return false
            }
            now = max(next, now)
            air.advance(to: now)
            for index in players.indices {
                if let deadline = players[index].host.deadline, deadline <= now {
                    players[index].host.advance(to: now)
                }
                if players[index].host.state == .resetting, !players[index].host.isStarting {
                    players[index].host.start(at: now)
                }
            }
        }
    }

    /// Hands packets over in all directions until nothing more comes.
    private func exchange() {
        var isMoving = true
        while isMoving {
            isMoving = false
            for index in players.indices {
                provideSecrets(to: index)
                let down = players[index].host.takeOutbound()
                if !down.isEmpty {
                    Self.forEachPacket(of: down) {
                        players[index].sent.append($0)
                        observe(index, $0, true)
                    }
                    air.receive(down, from: players[index].controller, at: now)
                }
                let up = air.takeOutput(of: players[index].controller)
                note(players[index].host.takeEvents(), of: index)
                Self.forEachPacket(of: up) {
                    observe(index, $0, false)
                    for packet in deliver(index, $0) { players[index].host.received(packet.span.bytes, at: now) }
                }
                if !up.isEmpty || players[index].host.hasOutbound { isMoving = true }
            }
        }
    }

    private func provideSecrets(to index: Int) {
        while providesSecrets, players[index].host.wantsPairingSecrets, let secrets = Sample.pairingSecrets() {
            players[index].host.provide(pairingSecrets: secrets)
        }
    }

    private static func forEachPacket(of octets: [UInt8], _ body: ([UInt8]) -> Void) {
        var offset = 0
        let span = octets.span.bytes
        while offset < octets.count {
            guard case .packet(_, let length) = H4Framer.next(span.extracting(offset..<octets.count)) else { return }
            body(Array(octets[offset..<(offset + length)]))
            offset += length
        }
    }

    private func note(_ batch: HostEventBatch, of index: Int) {
        for event in batch.events {
            switch event {
            case .value(_, _, let range, _): players[index].values.append(Array(batch.octets[range]))
            case .advertisement(let advertisement):
                players[index].advertisements.append((advertisement, Array(batch.octets[advertisement.octets])))
            default: players[index].events.append(event)
            }
        }
    }
}
