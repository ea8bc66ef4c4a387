// SPDX-License-Identifier: Apache-2.0

import ATT
import BluetoothCore
import BluetoothHost
import GATT
import HCI

/// Requests of our host's client, and events for the client.
extension Bench {
    // MARK: Links

    /// Our host connects to the advertising tester and exchanges MTUs. The tester's MTU is `mtu`.
    func connect(mtu: UInt16 = 23) throws {
        try peer.advertise()
        try join(RawPeer.publicAddress)
        try expects(att: "02 ?? ??")
        try send(att: "03 " + text(little(mtu)))
        let exchanged = try wait(for: "the MTU") { if case .mtuExchanged(_, let mtu) = $0 { mtu } else { nil } }
        let expected = min(max(Int(mtu), 23), 517)
        try require(exchanged == expected, "expected an MTU of \(expected); the client was told \(exchanged)")
    }

    /// Our host connects to `address`, without any exchange yet.
    func join(_ address: DeviceAddress) throws {
        host.connect(address, for: Self.client, at: now)
        try wait(for: "a connection") { if case .connected = $0 { true } else { nil } }
        run(for: .seconds(1), until: { !peer.handles.isEmpty })
    }

    var link: LinkID {
        get throws {
            guard let link = links.last else { throw ScriptFailure("our host has no link") }
            return link
        }
    }

    /// The link is gone; the client is told the reason.
    func disconnected(_ reason: HCIStatus, within limit: Duration = patience) throws {
        let seen = try wait(for: "the end of the link", within: limit) {
            if case .disconnected(_, _, _, let end) = $0 { end.reason } else { nil }
        }
        try require(seen == reason, "expected a disconnection by \(reason); the client was told \(seen)")
    }

    // MARK: GATT client

    func ask(_ request: GATTRequest) throws {
        recorder?.request(request)
        host.request(request, id: nextRequest(), on: try link, at: now)
    }

    func writeCommand(_ value: String, to handle: UInt16) throws {
        host.writeCommand(hex(value), to: handle, on: try link, for: Self.client, at: now)
    }

    /// The client has handled an indication.
    func confirm() throws { host.confirm(try link, for: Self.client, at: now) }

    /// The completion of the client's last request is `response`.
    func told(_ response: GATTResponse, within limit: Duration = patience) throws {
        try told(.success(response), within: limit)
    }

    func told(value octets: String) throws { try told(.value(hex(octets))) }

    func told(refused error: ATTErrorCode) throws { try told(.failure(.refused(error))) }

    func told(_ expected: Result<GATTResponse, GATTError>, within limit: Duration = patience) throws {
        let id = GATTRequestID(client: Self.client, number: requests)
        let seen = try wait(for: "completion by \(expected)", within: limit) {
            if case .completed(id, let result) = $0 { result } else { nil }
        }
        try require(seen == expected, "expected completion by \(expected); the client was told \(seen)")
    }

    /// Expects this value as the next value for the client.
    func told(
        handle: UInt16, changedTo octets: String, isIndication: Bool = false, within limit: Duration = patience
    ) throws {
        run(for: limit, until: { !values.isEmpty })
        guard !values.isEmpty else { throw ScriptFailure("the client was told no value") }
        let seen = values.removeFirst()
        let expected = Value(handle: handle, octets: hex(octets), isIndication: isIndication)
        try require(seen == expected, "expected \(expected); the client was told \(seen)")
    }

    // MARK: Scanning

    /// Scans during `time`, and returns the advertisements for the client.
    func scan(for demand: ScanDemand = ScanDemand(services: nil), during time: Duration = .seconds(3)) -> [Sighted] {
        advertisements = []
        host.setScan(demand, for: Self.client, at: now)
        run(for: time)
        host.setScan(nil, for: Self.client, at: now)
        run(for: .seconds(1))
        return advertisements
    }
}
