// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import BluetoothHost
import GATT
import HCI
import L2CAP
import Testing
import TestSupport
import VirtualRadio

@testable import HostBench

/// The host on one controller, a scripted peripheral on another.
private final class ChannelSimulation: AirBench {
    private let node: AirNodeID
    let peer = ChannelPeer()
    private(set) var events: [ChannelEvent] = []
    private(set) var received: [UInt8] = []
    private(set) var link: LinkID?
    private(set) var disconnections: [HCIStatus] = []
    /// Octets for the host to send.
    var toSend: [UInt8] = []
    /// The client reads received octets.
    var consumes = true
    private var unconsumed = 0

    static let id = GATTRequestID(client: client, number: 77)

    init() {
        let air = VirtualAir(seed: 3, settings: AirSettings())
        let controller = air.attachController(address: Self.hostAddress, settings: ControllerSettings())
        node = air.attachController(address: ChannelPeer.address, settings: ControllerSettings())
        super.init(on: air)
        add(
            HostMachine(randomAddress: DeviceAddress(kind: .random, value: 0xC000_0000_00FF)), on: controller,
            address: Self.hostAddress)
    }

    /// Up to a link.
    func connect() throws -> LinkID {
        #expect(run(for: .seconds(5)) { self.host.state == .ready })
        host.connect(ChannelPeer.address, for: Self.client, at: now)
        #expect(run(for: .seconds(30)) { self.link != nil && self.peer.handle != nil })
        return try #require(link)
    }

    /// Up to an open channel.
    func open() throws -> ChannelOpening {
        let link = try connect()
        host.openChannel(spsm: ChannelPeer.spsm, on: link, id: Self.id, at: now)
        #expect(run(for: .seconds(10)) { !self.events.isEmpty })
        guard case .opened(let opening) = events.first else {
            Issue.record("no channel: \(events)")
            throw CancellationError()
        }
        return opening
    }

    var channel: ChannelID? { events.lazy.compactMap(\.channel).first }

    override var otherDeadline: MonotonicTime? { peer.l2cap.deadline }
    override func wakeOthers() { peer.perform(peer.l2cap.expire(at: now)) }

    override func serveOthers() -> Bool {
        serve()
        let down = peer.takeOutput()
        if !down.isEmpty { air.receive(down, from: node, at: now) }
        let up = air.takeOutput(of: node)
        peer.receive(up, at: now)
        return !down.isEmpty || !up.isEmpty
    }

    private func serve() {
        guard let channel else { return }
        if consumes, unconsumed > 0 {
            host.consumed(unconsumed, on: channel, at: now)
            unconsumed = 0
        }
        while !toSend.isEmpty {
            let sdu = Array(toSend.prefix(2048))
            guard host.send(sdu, on: channel, at: now) else { break }
            toSend.removeFirst(sdu.count)
        }
    }

    override func record(_ batch: HostEventBatch, _ player: Int) {
        for event in batch.events {
            switch event {
            case .connected(let link, _, _): self.link = link
            case .disconnected(_, _, _, let end): disconnections.append(end.reason)
            case .channel(.data(_, let octets)):
                received += octets
                unconsumed += octets.count
            case .channel(let event): events.append(event)
            default: break
            }
        }
    }

    /// Gives the host a frame of the peer, unchanged.
    func give(_ payload: [UInt8], on channel: ChannelIdentifier) {
        peer.send(payload, on: channel)
        peer.pump(at: now)
        run(for: .seconds(2))
    }

    override var violations: [String] { super.violations + air.violations(of: node) }
}

struct ChannelHostTests {
    private let file = (0..<100_000).map { UInt8(truncatingIfNeeded: $0 &* 31 ^ $0 >> 8) }

    @Test func `100 kB go each way at once`() throws {
        let simulation = ChannelSimulation()
        let opening = try simulation.open()
        #expect(opening.request == ChannelSimulation.id && opening.client == ChannelSimulation.client)
        #expect(opening.spsm == 0x80 && opening.peer == ChannelPeer.address && opening.peerMTU == 2048)
        simulation.toSend = file
        simulation.peer.toSend = file.reversed()
        simulation.peer.pump(at: simulation.now)
        #expect(
            simulation.run(for: .seconds(120)) {
                simulation.received.count >= file.count && simulation.peer.received.count >= file.count
            })
        #expect(simulation.received == file.reversed())
        #expect(simulation.peer.received == file)
        #expect(simulation.violations == [])
    }

    @Test func `a side that does not read holds the other back, and nothing is lost`() throws {
        let simulation = ChannelSimulation()
        _ = try simulation.open()
        simulation.consumes = false
        simulation.peer.consumes = false
        simulation.peer.toSend = file
        simulation.toSend = file
        simulation.peer.pump(at: simulation.now)
        simulation.run(for: .seconds(10))
        #expect((6_000...8_000).contains(simulation.received.count))
        #expect((6_000...8_000).contains(simulation.peer.received.count))
        #expect(simulation.toSend.count > 60_000)
        (simulation.consumes, simulation.peer.consumes) = (true, true)
        simulation.peer.pump(at: simulation.now)
        #expect(
            simulation.run(for: .seconds(120)) {
                simulation.received.count >= file.count && simulation.peer.received.count >= file.count
            })
        #expect(simulation.received == file && simulation.peer.received == file)
        #expect(simulation.disconnections.isEmpty)
    }

    @Test func `the peer opens a published channel`() throws {
        let simulation = ChannelSimulation()
        _ = try simulation.connect()
        let spsm = simulation.host.publish(spsm: nil, requirement: .none, for: ClientID(rawValue: 9))
        #expect(spsm == 0x80)
        #expect(simulation.host.publish(spsm: nil, requirement: .none, for: ClientID(rawValue: 9)) == 0x81)
        #expect(simulation.host.publish(spsm: 0x81, requirement: .none, for: ClientID(rawValue: 1)) == nil)
        simulation.peer.perform(
            simulation.peer.l2cap.open(spsm: 0x80, tag: 1, at: simulation.now).map { .channel($0) })
        simulation.peer.toSend = [1, 2, 3]
        simulation.peer.pump(at: simulation.now)
        #expect(simulation.run(for: .seconds(10)) { simulation.received == [1, 2, 3] })
        guard case .opened(let opening) = simulation.events.first else { Issue.record("no channel"); return }
        #expect(opening.request == nil && opening.client == ClientID(rawValue: 9) && opening.spsm == 0x80)

        simulation.host.removeClient(ClientID(rawValue: 9), at: simulation.now)
        #expect(simulation.run(for: .seconds(10)) { simulation.peer.channel == nil })
        #expect(simulation.events.last == .closed(opening.channel, .closedByUs))
        #expect(simulation.host.publish(spsm: nil, requirement: .none, for: ClientID(rawValue: 1)) == 0x80)
        #expect(simulation.disconnections.isEmpty, "the link is another client's")
    }

    @Test func `all is sent before a channel closes, and the peer's end closes too`() throws {
        let simulation = ChannelSimulation()
        let opening = try simulation.open()
        #expect(simulation.host.send(Array(file[..<2000]), on: opening.channel, at: simulation.now) == true)
        simulation.host.close(opening.channel, sending: [Array(file[2000..<3000])], at: simulation.now)
        #expect(simulation.run(for: .seconds(10)) { simulation.peer.channel == nil })
        #expect(simulation.peer.received == Array(file[..<3000]))
        #expect(simulation.events.last == .closed(opening.channel, .closedByUs))
    }

    @Test func `an SPSM that is not published, and a link that is gone, are failures`() throws {
        let simulation = ChannelSimulation()
        let link = try simulation.connect()
        simulation.host.openChannel(spsm: 0x99, on: link, id: ChannelSimulation.id, at: simulation.now)
        #expect(simulation.run(for: .seconds(10)) { !simulation.events.isEmpty })
        #expect(simulation.events == [.failed(ChannelSimulation.id, .refused(.spsmNotSupported))])
        let id = GATTRequestID(client: ChannelSimulation.client, number: 78)
        simulation.host.openChannel(spsm: 0x99, on: LinkID(rawValue: 99), id: id, at: simulation.now)
        simulation.run(for: .milliseconds(1))
        #expect(simulation.events.last == .failed(id, .linkLost))
    }

    @Test func `the end of the link ends its channels`() throws {
        let simulation = ChannelSimulation()
        let opening = try simulation.open()
        simulation.host.disconnect(ChannelPeer.address, for: ChannelSimulation.client, at: simulation.now)
        #expect(simulation.run(for: .seconds(10)) { !simulation.disconnections.isEmpty })
        #expect(simulation.events.last == .closed(opening.channel, .linkLost))
        #expect(simulation.host.send([1], on: opening.channel, at: simulation.now) == false)
    }

    // MARK: The peer misbehaves

    @Test func `a frame longer than anything we take ends its channel, not the link`() throws {
        let simulation = ChannelSimulation()
        let opening = try simulation.open()
        simulation.give([UInt8](repeating: 0, count: 600), on: ChannelIdentifier(rawValue: 0x40))
        #expect(simulation.events.last == .closed(opening.channel, .broken(.frameTooLong)))
        #expect(simulation.peer.channel == nil)
        #expect(simulation.disconnections.isEmpty)
    }

    /// L2CAP/LE/CID/BV-01-C, L2CAP/LE/CID/BV-02-C, L2CAP/LE/CID/BV-03-C, L2CAP/LE/CID/BV-04-C: fixed and dynamic
    /// channels are served side by side. L2CAP/LE/CID/BI-01-C.
    @Test func `L2CAP/LE/CID/BV-01 to 04-C and BI-01-C: frames reach their channels, and others nobody`() throws {
        let simulation = ChannelSimulation()
        _ = try simulation.open()
        let before = simulation.host.counters.unknownChannels
        for channel in [UInt16(0x41), 0x7F, 0x80, 0x20, 0x01, 0x00, 0xFFFF] {
            simulation.give([1, 0, 1], on: ChannelIdentifier(rawValue: channel))
        }
        #expect(simulation.host.counters.unknownChannels == before + 7)
        simulation.give([2, 0, 8, 9], on: ChannelIdentifier(rawValue: 0x40))
        #expect(simulation.received == [8, 9])
        simulation.give([0x77, 5, 0, 0], on: .leSignalling)
        simulation.give([0x0A, 1, 0], on: .attributeProtocol)
        #expect(simulation.disconnections.isEmpty)
        #expect(simulation.violations == [])
    }

    @Test(arguments: 1..<9) func `random frames end channels at worst`(seed: UInt64) throws {
        let simulation = ChannelSimulation()
        _ = try simulation.open()
        var generator = SeededGenerator(seed: seed)
        func random(_ count: UInt64) -> UInt64 { generator.next() % count }
        for _ in 0..<300 {
            var payload = (0..<random(40)).map { _ in UInt8(random(256)) }
            let isSignal = random(2) == 0
            if isSignal, payload.count >= 4 {
                payload[0] = UInt8(random(0x1B))
                (payload[2], payload[3]) = (UInt8(payload.count - 4), 0)
            }
            simulation.peer.send(
                payload, on: isSignal ? .leSignalling : ChannelIdentifier(rawValue: 0x40 + UInt16(random(4))))
            simulation.peer.pump(at: simulation.now)
            simulation.run(for: .milliseconds(60))
        }
        #expect(simulation.host.state == .ready)
        #expect(simulation.violations == [])
    }

    // MARK: Parameters

    @Test func `a peripheral's request for parameters changes the link`() throws {
        let simulation = ChannelSimulation()
        _ = try simulation.connect()
        let peer = simulation.peer
        peer.perform(peer.l2cap.requestParameters(.standard, at: simulation.now))
        peer.pump(at: simulation.now)
        simulation.run(for: .seconds(5))
        #expect(peer.effects.contains(.parametersAnswered(.accepted)))
        #expect(simulation.disconnections.isEmpty)
    }
}
