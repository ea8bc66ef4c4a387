// SPDX-License-Identifier: Apache-2.0

import SMP
import ATT
import BluetoothCore
import BluetoothHost
import GATT
import HCI

@testable import HostBench

/// The bench for our GATT server. The whole host advertises, a raw Central is its client over the air, and the host's client owns the
/// published services. Time is virtual; every failure throws.
final class ServerBench {
    /// The owner of the published services: its values, and its records of reads and writes.
    final class Owner {
        /// By handle.
        var values = ServerTable.values
        /// In order: requests and commands alike.
        var writes: [[WriteItem]] = []
        var holdsAnswers = false
        var held: [(ServerRequest, handle: UInt16, offset: Int)] = []
    }

    private static let advertisement = "02 01 06"
    private static let secondAddress = DeviceAddress(kind: .public, value: 0x02_00_00_00_00_CC)

    let bench: Bench
    let owner: Owner
    private let client: RawPeer
    private var link: LinkID
    /// The key of client and host; nil without a bond.
    private var key: SecretKey?

    init(_ services: HostServices = HostServices(deviceName: Array("Martlet".utf8))) throws {
        bench = try Bench(hostServices: services)
        owner = Owner()
        client = bench.peer
        for service in ServerTable.services { try bench.publish(service) }
        let (bench, owner) = (bench, owner)
        bench.served = { [unowned bench] in owner.take($0, bench) }
        try bench.advertise(Self.advertisement)
        try bench.accept()
        link = try bench.link
    }

    /// A second client of the same server, over its own link.
    private init(beside first: ServerBench) throws {
        (bench, owner) = (first.bench, first.owner)
        client = bench.addPeer(Self.secondAddress)
        bench.peer = client
        try bench.accept()
        link = try bench.link
    }

    func another() throws -> ServerBench { try ServerBench(beside: self) }

    // MARK: Lower tester

    func send(att octets: String) throws { try send(att: hex(octets)) }

    func send(att octets: [UInt8]) throws {
        bench.peer = client
        try bench.send(att: octets)
    }

    @discardableResult
    func expects(att pattern: OctetPattern) throws -> [UInt8] {
        bench.peer = client
        return try bench.expects(att: pattern)
    }

    @discardableResult
    func expects(att octets: [UInt8]) throws -> [UInt8] { try expects(att: OctetPattern(text(octets))) }

    /// The tester asks and the server answers.
    func asks(_ request: String, answer: OctetPattern) throws {
        try send(att: request)
        try expects(att: answer)
    }

    func expectsNothing(for time: Duration = .milliseconds(300)) throws {
        bench.peer = client
        try bench.expectsNothing(for: time)
    }

    // MARK: Links

    /// The link ends and the client returns; a bonded client encrypts the link at once.
    func reconnect() throws { try away {} }

    /// Something changes while the client has no link.
    func away(_ change: () throws -> Void) throws {
        bench.peer = client
        if !client.handles.isEmpty {
            try client.disconnect()
            try linkEnds()
        }
        try change()
        try bench.accept()
        link = try bench.link
        if key != nil { try encrypt() }
    }

    /// The link is gone on both sides.
    func linkEnds() throws {
        bench.peer = client
        let ended = link
        try bench.wait(for: "the end of the link") { if case .linkDown(ended, _) = $0 { true } else { nil } }
        try bench.expects(event: .disconnectionComplete)
    }

    /// Client and host store a bond, as if they had paired; the link does not change.
    func storeBond(
        isAuthenticated: Bool = false, isSecureConnections: Bool = true, isAuthorized: Bool = false,
        keySize: UInt8 = 16
    ) throws {
        // Another key than before.
        let octets = (key?.octets.last ?? 0x10) &+ 1
        guard let new = SecretKey([UInt8](repeating: octets, count: 16)) else { throw ScriptFailure("no key") }
        let legacy = LegacyKey(key: new, ediv: 0, rand: 0)
        let bond = Bond(
            identity: client.address,
            keys: isSecureConnections
                ? .secureConnections(new) : .legacy(peerDistributed: nil, localDistributed: legacy),
            keySize: keySize, isAuthenticated: isAuthenticated, isAuthorized: isAuthorized,
            clientState: bench.host.bond(for: client.address)?.clientState ?? [])
        guard let bond else { throw ScriptFailure("no bond") }
        try require(bench.host.store(bond), "the bond was not taken")
        key = new
    }

    /// The client encrypts the link, or changes its key, with the key of the bond.
    func encrypt() throws {
        bench.peer = client
        guard let key else { throw ScriptFailure("the client has no key") }
        let ours = link
        let isRefresh = bench.host.security(of: link)?.isEncrypted == true
        try client.order(
            .leEnableEncryption, little(try client.link) + [UInt8](repeating: 0, count: 10) + key.littleEndian)
        let event = try bench.expects(event: isRefresh ? .encryptionKeyRefreshComplete : .encryptionChange)
        try require(event[0] == 0, "the client's controller says \(text(event))")
        try bench.wait(for: "encryption") { if case .encryptionChanged(ours, _) = $0 { true } else { nil } }
    }

    /// The client pairs: it is now a known device, and the link is encrypted.
    func bond() throws {
        try storeBond()
        try encrypt()
    }

    // MARK: Upper tester

    /// The owner sends a value to this client.
    func notify(_ value: String, of handle: UInt16) {
        bench.host.update(handle, hex(value), on: [link], for: Bench.client, at: bench.now)
    }

    /// The owner sends several values to this client at once.
    func notify(_ values: [(handle: UInt16, value: [UInt8])]) {
        bench.host.update(values, on: link, for: Bench.client, at: bench.now)
    }

    /// The owner hears that its value has left, has been confirmed, or is lost.
    func updateFinishes() throws {
        let ours = link
        try bench.wait(for: "the end of an update") {
            if case .server(_, .updateFinished(ours)) = $0 { true } else { nil }
        }
    }

    func finish() throws {
        try expectsNothing(for: .seconds(1))
        try bench.finish()
    }
}

extension ServerBench.Owner {
    fileprivate func take(_ event: ServerEvent, _ bench: Bench) {
        switch event {
        case .read(let request, let handle, let offset):
            if holdsAnswers {
                held.append((request, handle, offset))
            } else {
                answer(request, handle, offset, bench)
            }
        case .write(_, let request, let items):
            writes.append(items)
            for item in items {
                let old = item.offset == 0 ? [] : values[item.handle] ?? []
                values[item.handle] = Array(old.prefix(item.offset)) + item.value
            }
            if let request { bench.host.answer(write: request, nil, at: bench.now) }
        case .subscription, .updateFinished, .requestUnanswered:
            bench.events.append(.server(Bench.client, event))
        }
    }

    private func answer(_ request: ServerRequest, _ handle: UInt16, _ offset: Int, _ bench: Bench) {
        let value = values[handle] ?? []
        bench.host.answer(
            read: request, offset <= value.count ? .success(Array(value[offset...])) : .failure(.invalidOffset),
            at: bench.now)
    }

    /// Sends the withheld answers.
    func answerHeld(_ bench: Bench) {
        holdsAnswers = false
        let late = held
        held = []
        for (request, handle, offset) in late { answer(request, handle, offset, bench) }
    }
}

/// Runs a script with a ``ServerBench``.
func conformance(_ id: String, file: String = #fileID, _ script: (ServerBench) throws -> Void) throws {
    try ConformanceRecord.run(id, file: file) {
        let bench = try ServerBench()
        try script(bench)
        try bench.finish()
    }
}
