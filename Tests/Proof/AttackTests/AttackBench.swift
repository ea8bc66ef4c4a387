// SPDX-License-Identifier: Apache-2.0

import ATT
import BluetoothCore
import BluetoothHost
import GATT
import HCI
import VirtualRadio

@testable import HostBench

/// A host between two peers. The host serves a bystander and listens to it. An attacker may do anything. After the attack the host serves
/// the bystander as before, no protected octets have left, and the host holds no more state than before.
final class AttackBench {
    /// The attacker's role on its link. With ``none`` it has no link, and the attack comes from the controller's side.
    enum Side: CaseIterable {
        case central
        case peripheral
        case none
    }

    static let bystanderAddress = DeviceAddress(kind: .public, value: 0x02_00_00_00_00_DD)
    private static let bystanderValue: UInt16 = 9

    let bench: Bench
    let side: Side
    let attacker: RawPeer
    let bystander: RawPeer
    let owner: GuardedOwner
    /// False if an attack puts packets between the host and its controller, because the controller's state is then confused.
    var controllerIsTrue = true
    private(set) var bystanderLink = LinkID(rawValue: 0)
    private var leaks: [String] = []
    private var watch = LeakWatch()
    private var stamp: UInt8 = 0
    private var before: Footprint?

    init(_ side: Side, controller settings: ControllerSettings = ControllerSettings()) throws {
        self.side = side
        let (bench, owner) = (try Bench(controller: settings), GuardedOwner())
        (self.bench, self.owner) = (bench, owner)
        attacker = bench.peer
        bystander = bench.addPeer(Self.bystanderAddress)
        bench.served = { [unowned bench] in owner.take($0, bench) }
        bench.onSent = { [unowned self] packet in
            if watch.sees(packet), !owner.expectsTrust { leaks.append(text(packet)) }
        }
        try prepare()
    }

    private func prepare() throws {
        let published = try bench.publish(GuardedTable.service)
        try require(
            published.handles.start == GuardedTable.start && published.handles.end == GuardedTable.end,
            "the table is elsewhere: \(published.handles)")
        try meetBystander()
        if side == .central { try bench.advertise("02 01 06") }
        if side != .none {
            try enter()
            try leave()
        }
        remember()
        if side != .none { try enter() }
        bench.peer = attacker
    }

    /// Takes the host's present state as the limit for the end.
    func remember() { before = Footprint(of: bench.host) }

    /// The host's state beyond ``before``.
    var growth: [String] {
        guard let before else { return [] }
        // The host remembers services of peers beyond their links; row 82 tests the bound. `finish()` tests the memory of the procedures
        // at the ends of links. The script sets the policy. The host counts unanswered commands until the controller answers:
        // `RefusedCommandTests`.
        return Footprint(of: bench.host).growth(since: before).filter {
            !$0.hasPrefix(".peers.knownServices") && !$0.hasPrefix(".peers.habits.records")
                && !$0.hasPrefix(".pairing.policy.")
                && !$0.hasPrefix(".radio.commands.silences")
        }
    }

    // MARK: The bystander

    /// Our host connects to the bystander and subscribes to its value; the bystander subscribes to one of ours.
    private func meetBystander() throws {
        bench.peer = bystander
        try bystander.advertise()
        try bench.join(Self.bystanderAddress)
        try bench.expects(att: "02 ?? ??")
        try bench.send(att: "03 17 00")
        try bench.wait(for: "the MTU") { if case .mtuExchanged = $0 { true } else { nil } }
        bystanderLink = try bench.link
        try bench.ask(.configure(valueHandle: Self.bystanderValue, endHandle: 10, .notification))
        try bench.answers("04 0A 00 0A 00", with: "05 01 0A 00 02 29")
        try bench.answers("12 0A 00 01 00", with: "13")
        try bench.told(.written)
        try bench.send(att: [0x12] + little(GuardedTable.updatedConfiguration) + [1, 0])
        try bench.expects(att: "13")
        try thrives()
        bench.peer = attacker
    }

    /// The bystander's value reaches our client, the host answers its request, and our value reaches the bystander.
    func thrives() throws {
        let peer = bench.peer
        defer { bench.peer = peer }
        bench.peer = bystander
        stamp &+= 1
        bench.values = []
        try bench.send(att: [0x1B] + little(Self.bystanderValue) + [0xB5, stamp])
        let isTold = bench.run(for: .seconds(2)) {
            bench.values.contains { $0.handle == Self.bystanderValue && $0.octets == [0xB5, stamp] }
        }
        try require(isTold, "the bystander's value does not arrive")
        try bench.send(att: [0x0A] + little(GuardedTable.fixed))
        try bench.expects(att: "0B 01 02 03")
        bench.host.update(
            GuardedTable.updated, [0xB6, stamp], on: [bystanderLink], for: Bench.client, at: bench.now)
        try bench.expects(att: [0x1B] + little(GuardedTable.updated) + [0xB6, stamp])
    }

    // MARK: The attacker's link

    /// The attacker gets a link.
    func enter(mtu: UInt16 = 23) throws {
        bench.peer = attacker
        attacker.forget()
        bench.events = []
        switch side {
        case .peripheral: try bench.connect(mtu: mtu)
        case .central:
            try bench.accept()
            guard mtu != 23 else { return }
            try bench.send(att: [0x02] + little(mtu))
            try bench.expects(att: "03 ?? ??")
        case .none: break
        }
    }

    /// The attacker's link ends, if there still is one.
    func leave() throws {
        if !attacker.handles.isEmpty { try attacker.disconnect() }
        let isGone = bench.run(for: .seconds(40)) { attacker.handles.isEmpty }
        try require(isGone, "the attacker's link does not end")
        bench.run(for: .seconds(1))
        attacker.forget()
    }

    /// The attacker goes and comes back.
    func reenter(mtu: UInt16 = 23) throws {
        try leave()
        try enter(mtu: mtu)
    }

    var isLinked: Bool { !attacker.handles.isEmpty }

    // MARK: The end

    /// Sends values which the attacker must not receive.
    func offerSecrets() {
        for (handle, _) in GuardedTable.guardedConfigurations {
            bench.host.update(handle, GuardedTable.canary(20), on: bench.links, for: Bench.client, at: bench.now)
        }
        bench.run(for: .milliseconds(500))
    }

    /// The attack has reset the host on purpose: the host comes back, and the bystander with it.
    func recover() throws {
        bench.host.start(at: bench.now)
        try require(bench.run(for: .seconds(15)) { bench.host.state == .ready }, "the host does not come back")
        bench.run(for: .seconds(25)) { bystander.handles.isEmpty && attacker.handles.isEmpty }
        bystander.forget()
        bench.events = []
        try bench.publish(GuardedTable.service)
        try meetBystander()
    }

    /// The host is in the state from before the attack.
    func finish() throws {
        try require(bench.host.state == .ready, "the host is \(bench.host.state)")
        try thrives()
        offerSecrets()
        if side != .none { try leave() }
        bench.run(for: .seconds(35))
        try thrives()
        try require(owner.breaches.isEmpty || owner.expectsTrust, "protected handles were got at: \(owner.breaches)")
        try require(leaks.isEmpty, "protected octets left: \(leaks)")
        let habits = Footprint(of: bench.host).count(endingIn: ".peers.habits.records")
        let wanted = side == .peripheral ? 2 : 1
        try require(habits <= wanted, "ends of links with \(habits) peers are kept, and the client wants \(wanted)")
        try require(growth.isEmpty, "something has grown: \(growth.joined(separator: "; "))")
        let violations = bench.air.violations(of: bench.controller)
        try require(violations.isEmpty || !controllerIsTrue, "the host violated the specification: \(violations)")
    }
}

/// Looks for protected octets in our host's packets, across the fragments of a frame.
private struct LeakWatch {
    private var last: [UInt16: UInt32] = [:]

    mutating func sees(_ packet: [UInt8]) -> Bool {
        guard packet.count > 5, packet[0] == 2 else { return false }
        let word = UInt16(packet[1]) | UInt16(packet[2]) << 8
        var recent = word & 0x3000 == 0x1000 ? last[word & 0x0FFF] ?? 0 : 0
        var isFound = false
        for octet in packet[5...] {
            recent = (recent << 8 | UInt32(octet)) & 0xFF_FFFF
            if GuardedTable.traces.contains(recent) { isFound = true }
        }
        last[word & 0x0FFF] = recent
        return isFound
    }
}
