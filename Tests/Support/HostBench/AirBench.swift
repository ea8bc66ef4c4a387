// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import BluetoothHost
import HCI
import SMP
import Testing
import VirtualRadio

/// Hosts of ours on one air, each on a controller of its own, in one thread and virtual time: minutes pass in
/// milliseconds. Subclasses add other devices to the air, and see packets and events as they pass.
class AirBench {
    /// A notification or an indication, as a client gets it.
    struct Update {
        let link: LinkID
        let handle: UInt16
        let octets: [UInt8]
        let indication: IndicationNumber?
    }

    struct Heard {
        let advertisement: HeardAdvertisement
        let data: [UInt8]

        var address: DeviceAddress { advertisement.address }
    }

    /// A host, and its events for clients. A reference: without optimization, each access to a value would copy the host.
    final class Player {
        let controller: AirNodeID
        let address: DeviceAddress
        var host: HostMachine
        /// All but values and advertisements.
        var events: [HostEvent] = []
        var advertisements: [Heard] = []
        var values: [Update] = []
        /// H4 packets to the controller, if the bench keeps them.
        var sent: [[UInt8]] = []
        /// The host's deadline when the bench last asked for it.
        fileprivate var deadline: MonotonicTime?

        init(controller: AirNodeID, address: DeviceAddress, host: HostMachine) {
            (self.controller, self.address, self.host) = (controller, address, host)
        }
    }

    static let client = ClientID(rawValue: 0)
    static let hostAddress = DeviceAddress(kind: .public, value: 0x0011_2233_4455)

    let air: VirtualAir
    private(set) var now = MonotonicTime.zero
    var players: [Player] = []
    /// The hosts get secrets for pairings, as from the radio thread.
    var providesSecrets = false
    /// A host that has given its controller up starts anew, as on the radio thread.
    var startsAnew = false

    init(on air: VirtualAir) { self.air = air }

    /// Starts a further host, on `controller`.
    func add(_ host: HostMachine, on controller: AirNodeID, address: DeviceAddress) {
        players.append(Player(controller: controller, address: address, host: host))
        players[players.count - 1].host.start(at: now)
    }

    /// The first host. Most benches have no other host.
    var host: HostMachine {
        _read { yield players[0].host }
        _modify { yield &players[0].host }
    }

    var controller: AirNodeID { players[0].controller }

    // MARK: Hooks for subclasses

    /// A host sends an H4 packet. False: the packet does not reach the controller.
    func sends(_ packet: [UInt8], _ player: Int) -> Bool { true }

    /// A host's input in place of an H4 packet of its controller.
    func receives(_ packet: [UInt8], _ player: Int) -> [[UInt8]] { [packet] }

    /// A host reports events.
    func record(_ batch: HostEventBatch, _ player: Int) {
        let player = players[player]
        for value in batch.values {
            player.values.append(
                Update(
                    link: value.link, handle: value.handle, octets: Array(batch.octets[value.octets]),
                    indication: value.indication))
        }
        for heard in batch.advertisements {
            player.advertisements.append(Heard(advertisement: heard, data: Array(batch.octets[heard.octets])))
        }
        for other in batch.others { player.events.append(other.event) }
    }

    func pairingSecrets() -> PairingSecrets? { Self.freshSecrets() }

    /// Fresh random secrets. No test depends on their values.
    static func freshSecrets() -> PairingSecrets? {
        var generator = SystemRandomNumberGenerator()
        let octets = (0..<PairingSecrets.octetCount).map { _ in UInt8.random(in: 0...255, using: &generator) }
        return PairingSecrets(keyPair: KeyPair(), octets: octets)
    }

    /// When another device on the air has to be woken.
    var otherDeadline: MonotonicTime? { nil }

    /// The time is ``otherDeadline``, or later.
    func wakeOthers() {}

    /// All other devices on the air handle their input, and send. True if anything moved.
    func serveOthers() -> Bool { false }

    // MARK: Time

    /// Lets all sides run until `condition` holds, or for `limit` of virtual time; true if the condition held.
    @discardableResult
    func run(for limit: Duration, until condition: () -> Bool = { false }) -> Bool {
        let end = now + limit
        var turns = 0
        while true {
            exchange()
            if condition() { return true }
            guard let next = nextDeadline(), max(next, now) <= end else {
                now = end
                air.advance(to: now)
                return false
            }
            // A deadline in the past would keep the radio thread awake for ever.
            turns = next > now ? 0 : turns + 1
            guard turns < 1_000 else {
                Issue.record("time stands still at \(now), for \(next)")
                return false
            }
            now = max(next, now)
            air.advance(to: now)
            for index in players.indices { wake(index) }
            if let deadline = otherDeadline, deadline <= now { wakeOthers() }
        }
    }

    private func nextDeadline() -> MonotonicTime? {
        var next = MonotonicTime.earlier(air.deadline, otherDeadline)
        for player in players {
            player.deadline = player.host.deadline
            next = .earlier(next, player.deadline)
        }
        return next
    }

    private func wake(_ index: Int) {
        if let deadline = players[index].deadline, deadline <= now { players[index].host.advance(to: now) }
        if startsAnew, players[index].host.state == .resetting, !players[index].host.isStarting {
            players[index].host.start(at: now)
        }
    }

    /// Hands packets over in all directions until no more packets come.
    func exchange() {
        var isMoving = true
        while isMoving {
            isMoving = false
            for index in players.indices { isMoving = exchange(index) || isMoving }
        }
    }

    /// True if anything moved.
    private func exchange(_ index: Int) -> Bool {
        provideSecrets(to: index)
        let down = players[index].host.takeOutbound()
        if !down.isEmpty {
            var passed: [UInt8] = []
            Self.forEachPacket(of: down) { if sends($0, index) { passed += $0 } }
            air.receive(passed, from: players[index].controller, at: now)
        }
        let hasServed = serveOthers()
        let up = air.takeOutput(of: players[index].controller)
        let batch = players[index].host.takeEvents()
        if !batch.isEmpty { record(batch, index) }
        give(up, to: index)
        // Answers of a service's owner may have made new events.
        return hasServed || !up.isEmpty || !batch.isEmpty || players[index].host.hasOutbound
            || providesSecrets && players[index].host.wantsPairingSecrets
    }

    private func provideSecrets(to index: Int) {
        while providesSecrets, players[index].host.wantsPairingSecrets, let secrets = pairingSecrets() {
            players[index].host.provide(pairingSecrets: secrets)
        }
    }

    /// Hands whole H4 packets to a host, as its controller would.
    func give(_ octets: [UInt8], to player: Int = 0) {
        Self.forEachPacket(of: octets) {
            for packet in receives($0, player) { players[player].host.received(packet.span.bytes, at: now) }
        }
    }

    static func forEachPacket(of octets: [UInt8], _ body: ([UInt8]) -> Void) {
        var offset = 0
        while offset < octets.count {
            let rest = octets.span.bytes.extracting(offset..<octets.count)
            guard case .packet(_, let length) = H4Framer.next(rest) else { return }
            body(Array(octets[offset..<(offset + length)]))
            offset += length
        }
    }

    // MARK: Events

    func count(_ player: Int, _ matches: (HostEvent) -> Bool) -> Int { players[player].events.count(where: matches) }

    /// The last link that a client of `player` got.
    func link(of player: Int) -> LinkID? {
        players[player].events.reversed().lazy.compactMap {
            if case .connected(let link, _, _) = $0 { link } else { nil }
        }.first
    }

    func forget() {
        for index in players.indices {
            (players[index].events, players[index].advertisements, players[index].sent) = ([], [], [])
            players[index].values = []
        }
    }

    /// Violations of the specification by any host.
    var violations: [String] { players.flatMap { air.violations(of: $0.controller) } }
}
