// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import BluetoothHost
import GATT
import HCI
import Testing
import VirtualRadio

@testable import HostBench

struct LinkLayerTests {
    /// 7.5–15 ms, no latency, 2 s.
    private func parameters(_ interval: UInt16 = 12) throws -> ConnectionParameters {
        let minimum = try #require(ConnectionInterval(units: 6))
        let maximum = try #require(ConnectionInterval(units: interval))
        let timeout = try #require(SupervisionTimeout(units: 200))
        return try #require(
            ConnectionParameters(
                minimumInterval: minimum, maximumInterval: maximum, latency: .none, timeout: timeout))
    }

    @Test(arguments: [false, true])
    func `a new link gets long packets and LE 2M, and both sides know`(isExtended: Bool) throws {
        let duet = Duet(
            ControllerSettings(extendedAdvertising: isExtended), ControllerSettings(extendedAdvertising: isExtended))
        let links = try duet.connected()
        duet.run(for: .seconds(5))
        for (player, link) in [(0, links.a), (1, links.b)] {
            let information = try #require(duet.players[player].host.information(of: link))
            #expect(information.transmitOctets == 251 && information.receiveOctets == 251)
            #expect(information.transmitPHY == .le2M && information.receivePHY == .le2M)
            #expect(information.interval == 40 && information.timeout == 500)
            #expect(information.peerFeatures?.contains(.le2M) == true)
        }
        #expect(duet.a.host.information(of: links.a)?.role == .peripheral)
        #expect(duet.b.host.information(of: links.b)?.role == .central)
        // The Central begins, and the Peripheral leaves the procedures to the Central.
        #expect(duet.commands(.leSetPHY, of: 0).isEmpty && duet.commands(.leSetPHY, of: 1).count == 1)
        #expect(duet.violations == [])
    }

    @Test func `a peer without a feature is not asked for it`() throws {
        let old = ControllerSettings(missingFeatures: LEFeatures([.le2M, .dataPacketLengthExtension]).rawValue)
        let duet = Duet(old, ControllerSettings())
        let links = try duet.connected()
        duet.run(for: .seconds(5))
        #expect(duet.commands(.leSetPHY, of: 1).isEmpty && duet.commands(.leSetDataLength, of: 1).isEmpty)
        #expect(duet.b.host.information(of: links.b)?.transmitPHY == .le1M)
        let own = Duet(ControllerSettings(), old)
        _ = try own.connected()
        own.run(for: .seconds(5))
        #expect(own.commands(.leSetPHY, of: 1).isEmpty && own.commands(.leSetDefaultPHY, of: 1).isEmpty)
    }

    @Test func `a Central sets parameters at once`() throws {
        let duet = Duet(ControllerSettings(), ControllerSettings())
        let links = try duet.connected()
        let wanted = try parameters()
        duet.players[1].host.setParameters(wanted, on: links.b, for: Duet.client, at: duet.now)
        #expect(duet.run(for: .seconds(2)) { duet.b.host.information(of: links.b)?.interval == 12 })
        #expect(duet.run(for: .seconds(1)) { duet.a.host.information(of: links.a)?.interval == 12 })
        #expect(duet.a.host.information(of: links.a)?.timeout == 200)
        // A client without the link has no say.
        duet.players[1].host.setParameters(try parameters(20), on: links.b, for: Duet.other, at: duet.now)
        duet.run(for: .seconds(2))
        #expect(duet.b.host.information(of: links.b)?.interval == 12)
    }

    @Test(arguments: [false, true])
    func `a Peripheral asks after five seconds, by link layer or by L2CAP`(byL2CAP: Bool) throws {
        let missing = byL2CAP ? LEFeatures.connectionParametersRequest.rawValue : 0
        let duet = Duet(ControllerSettings(), ControllerSettings(missingFeatures: missing))
        let links = try duet.connected()
        let begun = try #require(duet.a.host.information(of: links.a)?.connectedAt)
        duet.players[0].host.setParameters(try parameters(), on: links.a, for: Duet.client, at: duet.now)
        #expect(duet.run(for: .seconds(20)) { duet.a.host.information(of: links.a)?.interval == 12 })
        #expect(duet.now - begun >= .seconds(5))
        #expect(duet.commands(.leConnectionUpdate, of: 0).isEmpty == byL2CAP)
        #expect(duet.violations == [])
        // Parameters that the link has already are not asked for again.
        duet.forget()
        duet.players[0].host.setParameters(try parameters(), on: links.a, for: Duet.client, at: duet.now)
        duet.run(for: .seconds(60))
        #expect(duet.commands(.leConnectionUpdate, of: 0).isEmpty)
        #expect(!duet.a.sent.contains { $0.first == HCIPacketType.aclData.rawValue })
    }

    /// The controller's own request for longer packets is a suspect, too, and a hang-up may be over the exchange of MTUs: one
    /// link more for each of them.
    ///
    /// `isCompleted`: the controller completes the procedure with the reason of the link's end, as some controllers do.
    @Test(arguments: [(HCIStatus.llResponseTimeout, 4), (.remoteUserTerminated, 5)], [false, true])
    func `a peer whose links are lost over a procedure is not asked again`(
        row: (reason: HCIStatus, asked: Int), isCompleted: Bool
    ) {
        let (reason, asked) = row
        let duet = Duet(ControllerSettings())
        let peer = Simulation.sensor(1)
        for handle in (0x50...0x5F as ClosedRange<UInt8>).prefix(asked + 1) {
            duet.players[0].host.connect(peer, for: Duet.client, at: duet.now)
            duet.run(for: .seconds(1))
            // A controller's events for a peer that is there for a moment.
            let address: [UInt8] = [1, 1, 0, 0, 0, 0, 0xC0]
            let connected = [4, 0x3E, 19, 1, 0, handle, 0, 0] + address + [0x18, 0, 0, 0, 0xF4, 1, 0]
            duet.players[0].host.received(connected.span.bytes, at: duet.now)
            if isCompleted {
                let completed = [4, 0x3E, 12, 4, reason.rawValue, handle, 0] + [UInt8](repeating: 0, count: 8)
                duet.players[0].host.received(completed.span.bytes, at: duet.now)
            }
            let disconnected = [4, 5, 4, 0, handle, 0, reason.rawValue]
            duet.players[0].host.received(disconnected.span.bytes, at: duet.now)
            duet.run(for: .seconds(1))
        }
        #expect(duet.a.host.counters.connections == UInt64(asked) + 1)
        #expect(duet.commands(.leReadRemoteFeatures, of: 0).count == asked)
    }

    @Test func `a connection that the controller tells of twice is one, and one that comes much later is another`() {
        let duet = Duet(ControllerSettings())
        duet.players[0].host.connect(Simulation.sensor(1), for: Duet.client, at: duet.now)
        duet.run(for: .seconds(1))
        let address: [UInt8] = [1, 1, 0, 0, 0, 0, 0xC0]
        let connected = [4, 0x3E, 19, 1, 0, 0x50, 0, 0] + address + [0x18, 0, 0, 0, 0xF4, 1, 0]
        for _ in 0..<2 { duet.players[0].host.received(connected.span.bytes, at: duet.now) }
        #expect(duet.a.host.counters.connections == 1 && duet.a.host.counters.disconnections == 0)
        #expect(duet.commands(.disconnect, of: 0).isEmpty)
        duet.run(for: .seconds(3))
        duet.players[0].host.received(connected.span.bytes, at: duet.now)
        #expect(duet.a.host.counters.connections == 2 && duet.a.host.counters.disconnections == 1)
    }

    @Test func `what waits to be said of a link is not said of the one that gets its handle`() throws {
        let duet = Duet(ControllerSettings())
        for number in [1, 2] as [UInt64] {
            duet.players[0].host.connect(Simulation.sensor(number), for: Duet.client, at: duet.now)
        }
        duet.run(for: .seconds(1))
        func connect(_ number: UInt8) {
            let address: [UInt8] = [1, number, 0, 0, 0, 0, 0xC0]
            let connected = [4, 0x3E, 19, 1, 0, 0x50, 0, 0] + address + [0x18, 0, 0, 0, 0xF4, 1, 0]
            duet.players[0].host.received(connected.span.bytes, at: duet.now)
        }
        connect(1)
        let first = LinkID(rawValue: 1)
        // The controller has not answered the first command of the link. All further commands wait.
        let id = GATTRequestID(client: Duet.client, number: 1)
        duet.players[0].host.setParameters(try parameters(), on: first, for: Duet.client, at: duet.now)
        duet.players[0].host.readRSSI(of: first, id: id, at: duet.now)
        duet.players[0].host.disconnect(Simulation.sensor(1), for: Duet.client, at: duet.now)
        let disconnected: [UInt8] = [4, 5, 4, 0, 0x50, 0, 0x13]
        duet.players[0].host.received(disconnected.span.bytes, at: duet.now)
        connect(2)
        duet.run(for: .seconds(1))
        for opcode in [.leConnectionUpdate, .readRSSI, .disconnect] as [HCIOpcode] {
            #expect(duet.commands(opcode, of: 0).isEmpty)
        }
        #expect(duet.link(of: 0) == LinkID(rawValue: 2) && duet.a.host.hasLinks)
        #expect(duet.count(0) { if case .rssi(id, .failure) = $0 { true } else { false } } == 1)
        // Answers still find their links.
        let second = GATTRequestID(client: Duet.client, number: 2)
        duet.players[0].host.readRSSI(of: LinkID(rawValue: 2), id: second, at: duet.now)
        duet.run(for: .seconds(1))
        #expect(duet.count(0) { if case .rssi(second, _) = $0 { true } else { false } } == 1)
    }

    @Test func `who asks for parameters again before the controller has the answer gets one answer`() {
        let duet = Duet(ControllerSettings())
        duet.players[0].host.connect(Simulation.sensor(1), for: Duet.client, at: duet.now)
        duet.run(for: .seconds(1))
        let address: [UInt8] = [1, 1, 0, 0, 0, 0, 0xC0]
        let connected = [4, 0x3E, 19, 1, 0, 0x50, 0, 0] + address + [0x18, 0, 0, 0, 0xF4, 1, 0]
        duet.players[0].host.received(connected.span.bytes, at: duet.now)
        func ask(_ handle: UInt8, timeout: UInt8 = 200) {
            let wish: [UInt8] = [4, 0x3E, 11, 6, handle, 0, 24, 0, 40, 0, 0, 0, timeout, 0]
            duet.players[0].host.received(wish.span.bytes, at: duet.now)
        }
        for round in 1...3 {
            // More requests than commands may wait. The first request is accepted, and requests on no link get no
            // answer.
            for turn in 0..<300 { ask(turn % 3 == 2 ? 0x51 : 0x50, timeout: turn == 0 ? 200 : 5) }
            duet.run(for: .seconds(1))
            #expect(duet.commands(.leRemoteConnectionParameterRequestReply, of: 0).count == round)
            #expect(duet.commands(.leRemoteConnectionParameterRequestNegativeReply, of: 0).isEmpty)
        }
        ask(0x50, timeout: 5)
        duet.run(for: .seconds(1))
        #expect(duet.commands(.leRemoteConnectionParameterRequestNegativeReply, of: 0).count == 1)
        #expect(duet.a.host.state == .ready)
    }

    // MARK: The machine

    private let full: LEFeatures = [.dataPacketLengthExtension, .le2M, .peripheralInitiatedFeaturesExchange]
    private let everything: Set<LinkLayerMachine.Effect> = [.readRemoteFeatures, .setDataLength, .setPHY]

    @Test func `procedures come one after the other, each once, whatever fails`() throws {
        let duet = Duet(ControllerSettings(), ControllerSettings())
        let links = try duet.connected()
        let information = try #require(duet.b.host.information(of: links.b))
        let start = MonotonicTime.zero
        var machine = LinkLayerMachine(role: .central, features: full, possible: everything, at: start)
        #expect(machine.next(information, at: start) == .readRemoteFeatures)
        #expect(machine.next(information, at: start) == nil && machine.isBusy)
        machine.answered(.readRemoteFeatures, .success)
        machine.learned(full)
        #expect(machine.next(information, at: start) == .setDataLength)
        machine.answered(.setDataLength, .unsupportedRemoteFeature)
        #expect(machine.next(information, at: start) == .setPHY)
        machine.answered(.setPHY, .controllerBusy)
        #expect(machine.next(information, at: start) == nil && !machine.isBusy)
        #expect(machine.deadline(information) == nil)
    }

    @Test func `a Peripheral waits for the Central, and leaves the PHY to it`() throws {
        let duet = Duet(ControllerSettings(), ControllerSettings())
        let links = try duet.connected()
        let information = try #require(duet.a.host.information(of: links.a))
        let start = MonotonicTime.zero
        var machine = LinkLayerMachine(role: .peripheral, features: full, possible: everything, at: start)
        #expect(machine.next(information, at: start) == nil)
        #expect(machine.deadline(information) == start + LinkLayerMachine.patience)
        let later = start + .seconds(3)
        #expect(machine.next(information, at: later) == .readRemoteFeatures)
        machine.learned(full)
        #expect(machine.next(information, at: later) == .setDataLength)
        machine.answered(.setDataLength, .success)
        #expect(machine.next(information, at: later) == nil)
    }
}
