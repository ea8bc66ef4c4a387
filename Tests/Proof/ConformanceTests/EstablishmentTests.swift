// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import BluetoothHost
import GATT
import HCI
import Testing

@testable import HostBench

/// Establishing, changing and ending connections, with our host as Central.
struct EstablishmentTests {
    @Test func `GAP/CONN/ACEP/BV-01-C auto connection establishment`() throws {
        try conformance("GAP/CONN/ACEP/BV-01-C") { bench in
            // An unwanted device advertises too: our host leaves it alone.
            let stranger = RawPeer(on: bench.air, address: Self.stranger)
            try stranger.advertise()
            bench.host.connect(RawPeer.publicAddress, for: Bench.client, at: bench.now)
            bench.advance(seconds: 60)
            try require(bench.links.isEmpty, "connected to \(bench.events)")
            try bench.peer.advertise("", type: 4, to: Bench.hostAddress)
            try connected(bench, to: RawPeer.publicAddress)
            let parameters = bench.parameters(of: .leCreateConnection)
            try require(parameters.allSatisfy { $0[4] == 1 }, "the Filter Accept List was not used")
            try require(
                bench.parameters(of: .leAddDeviceToFilterAcceptList) == [[0] + address48(RawPeer.publicAddress)],
                "the Filter Accept List does not hold the device alone")
            try bench.expects(att: "02 ?? ??")
            try require(stranger.handles.isEmpty, "the stranger has a link")
        }
    }

    @Test func `GAP/CONN/GCEP/BV-01-C general establishment to a directed advertiser`() throws {
        try conformance("GAP/CONN/GCEP/BV-01-C") { bench in
            try bench.peer.advertise("", type: 4, to: Bench.hostAddress)
            try connectToFound(bench)
        }
    }

    @Test func `GAP/CONN/GCEP/BV-02-C general establishment to an undirected advertiser`() throws {
        try conformance("GAP/CONN/GCEP/BV-02-C") { bench in
            try bench.peer.advertise()
            try connectToFound(bench)
        }
    }

    @Test func `GAP/CONN/SCEP/BV-01-C selective establishment`() throws {
        try conformance("GAP/CONN/SCEP/BV-01-C") { bench in
            let stranger = RawPeer(on: bench.air, address: Self.stranger)
            try stranger.advertise()
            try bench.peer.advertise("", type: 4, to: Bench.hostAddress)
            bench.host.setScan(ScanDemand(services: nil), for: Bench.client, at: bench.now)
            // The client connects to its known device alone.
            try heard(bench, Self.stranger)
            try heard(bench, RawPeer.publicAddress)
            bench.host.setScan(nil, for: Bench.client, at: bench.now)
            bench.host.connect(RawPeer.publicAddress, for: Bench.client, at: bench.now)
            try connected(bench, to: RawPeer.publicAddress)
            try bench.expects(att: "02 ?? ??")
            bench.advance(seconds: 10)
            try require(stranger.handles.isEmpty, "the stranger has a link")
        }
    }

    @Test func `GAP/CONN/DCEP/BV-01-C direct establishment to a directed advertiser`() throws {
        try conformance("GAP/CONN/DCEP/BV-01-C") { bench in
            try bench.peer.advertise("", type: 4, to: Bench.hostAddress)
            try connectDirectly(bench)
        }
    }

    @Test func `GAP/CONN/DCEP/BV-03-C direct establishment to an undirected advertiser`() throws {
        try conformance("GAP/CONN/DCEP/BV-03-C") { bench in
            try bench.peer.advertise()
            try connectDirectly(bench)
        }
    }

    @Test func `GAP/CONN/TERM/BV-01-C termination`() throws {
        try conformance("GAP/CONN/TERM/BV-01-C") { bench in
            try bench.connect()
            bench.host.disconnect(RawPeer.publicAddress, for: Bench.client, at: bench.now)
            let event = try bench.expects(event: HCIEventCode.disconnectionComplete)
            try require(event[0] == 0 && event[3] == 0x13, "the tester was told \(text(event))")
            try bench.disconnected(.localHostTerminated)
            // In the other role, the client hears that the peer has ended the link.
            try bench.connect()
            try bench.peer.disconnect()
            try bench.disconnected(.remoteUserTerminated)
        }
    }

    @Test func `GAP/CONN/CPUP/BV-04-C central accepts valid parameters`() throws {
        try conformance("GAP/CONN/CPUP/BV-04-C") { bench in
            try bench.connect()
            try bench.send(signalling: "12 01 08 00 50 00 50 00 01 00 C8 00")
            try bench.expects(signalling: "13 01 02 00 00 00")
            try updated(bench, "50 00 01 00 C8 00")
        }
    }

    @Test func `GAP/CONN/CPUP/BV-05-C central rejects invalid parameters`() throws {
        try conformance("GAP/CONN/CPUP/BV-05-C") { bench in
            try bench.connect()
            try bench.send(signalling: "12 01 08 00 50 00 50 00 FF FF C8 00")
            try bench.expects(signalling: "13 01 02 00 01 00")
            try bench.expectsNothing()
            // The link continues unchanged.
            try bench.ask(.read(handle: 3))
            try bench.answers("0A 03 00", with: "0B 01")
            try bench.told(value: "01")
        }
    }

    // MARK: Parts

    private static let stranger = DeviceAddress(kind: .public, value: 0x02_00_00_00_00_BB)

    /// The tester's controller tells of these parameters: interval, latency, time-out.
    private func updated(_ bench: Bench, _ parameters: String) throws {
        let event = try bench.expects(event: LESubeventCode.connectionUpdateComplete)
        try require(event[0] == 0 && Array(event[3...]) == hex(parameters), "the tester was told \(text(event))")
    }

    private func heard(_ bench: Bench, _ address: DeviceAddress) throws {
        let isHeard = bench.run(for: .seconds(10)) { bench.advertisements.contains { $0.address == address } }
        try require(isHeard, "\(address) was not heard")
    }

    private func connected(_ bench: Bench, to address: DeviceAddress) throws {
        let peer = try bench.wait(for: "a connection", within: .seconds(10)) {
            if case .connected(_, let peer, _) = $0 { peer } else { nil }
        }
        try require(peer == address, "connected to \(peer)")
        bench.run(for: .seconds(1), until: { !bench.peer.handles.isEmpty })
    }

    /// Finds the tester, stops to scan, connects, ends the link.
    private func connectToFound(_ bench: Bench) throws {
        let found = bench.scan().first { $0.isConnectable }
        guard let found else { throw ScriptFailure("no connectable device was found") }
        bench.host.connect(found.address, for: Bench.client, at: bench.now)
        try connected(bench, to: RawPeer.publicAddress)
        try bench.expects(att: "02 ?? ??")
        bench.host.disconnect(found.address, for: Bench.client, at: bench.now)
        try bench.disconnected(.localHostTerminated)
    }

    /// Connects to the tester's address while the tester advertises.
    private func connectDirectly(_ bench: Bench) throws {
        bench.host.setScan(ScanDemand(services: nil), for: Bench.client, at: bench.now)
        try heard(bench, RawPeer.publicAddress)
        bench.host.connect(RawPeer.publicAddress, for: Bench.client, at: bench.now)
        try connected(bench, to: RawPeer.publicAddress)
        bench.host.setScan(nil, for: Bench.client, at: bench.now)
        try bench.expects(att: "02 ?? ??")
        let commands = bench.parameters(of: .leCreateConnection)
        try require(
            commands.contains { $0[4] == 0 && Array($0[5..<12]) == [0] + address48(RawPeer.publicAddress) },
            "the host did not initiate to the tester's address: \(commands.map(text))")
    }
}
