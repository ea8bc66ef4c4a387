// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import BluetoothHost
import GATT
import HCI
import SMP
import VirtualRadio

/// The test bench: our host as implementation under test, a ``RawPeer`` as the lower tester on the same air, and the
/// host's client as the upper tester. One thread, virtual time; everything that fails throws.
final class Bench {
    static let client = ClientID(rawValue: 0)
    static let hostAddress = DeviceAddress(kind: .public, value: 0x0011_2233_4455)
    static let attributeProtocol: UInt16 = 0x0004
    static let signalling: UInt16 = 0x0005
    static let securityManager: UInt16 = 0x0006
    /// How long an answer may take: many connection events.
    static let patience: Duration = .seconds(2)

    let air: VirtualAir
    let controller: AirNodeID
    /// The tester that scripts speak for; ``peers`` has it and all others on the air.
    var peer: RawPeer
    private(set) var peers: [RawPeer]
    var host: HostMachine
    private(set) var now = MonotonicTime.zero
    /// What the host told, as far as no script has looked at it.
    var events: [HostEvent] = []
    var values: [Value] = []
    var advertisements: [Sighted] = []
    private(set) var requests: UInt64 = 0
    /// Links that the host told of, the newest last.
    private(set) var links: [LinkID] = []
    /// Commands of the host, without the packet type, from the first one after the start.
    private(set) var commands: [[UInt8]] = []
    /// Takes what our server asks for; else that is an event like the others.
    var served: ((ServerEvent) -> Void)?
    /// Who answers what the host's pairings ask.
    var person = Person()
    /// What they asked, as far as no script has looked at it.
    var questions: [PairingQuestion] = []
    /// The association models that came with the questions.
    var models: [AssociationModel] = []
    /// For how long our host has made itself wait between attempts to pair.
    var pauses: [Duration] = []
    private var draws: UInt32 = 0
    /// Sees every H4 packet that our host sends.
    var onSent: (([UInt8]) -> Void)?
    /// Sees every H4 packet that our host gets.
    var onReceived: (([UInt8]) -> Void)?
    /// True for packets of our host that do not get to its controller.
    var swallows: (([UInt8]) -> Bool)?
    /// What comes to our host becomes seeds for the fuzzer.
    var recorder: SeedRecorder?

    /// A notification or an indication, as the client is told of it.
    struct Value: Equatable {
        let handle: UInt16
        let octets: [UInt8]
        let isIndication: Bool
    }

    struct Sighted: Equatable {
        let address: DeviceAddress
        let isConnectable: Bool
        let octets: [UInt8]
    }

    init(
        controller settings: ControllerSettings = ControllerSettings(),
        tester: ControllerSettings = ControllerSettings(),
        hostServices: HostServices = HostServices(deviceName: Array("Martlet".utf8))
    ) throws {
        air = VirtualAir(seed: 1)
        controller = air.attachController(address: Self.hostAddress, settings: settings)
        peer = RawPeer(on: air, settings: tester)
        peers = [peer]
        recorder = SeedRecorder()
        host = HostMachine(
            randomAddress: DeviceAddress(kind: .random, value: 0xC000_0000_00FF), hostServices: hostServices)
        host.start(at: now)
        guard run(for: .seconds(5), until: { host.state == .ready }) else {
            throw ScriptFailure("the host does not start: \(host.state)")
        }
        events = []
        commands = []
        if recorder != nil { record(peer) }
    }

    deinit { recorder?.finish() }

    /// Another tester on the same air.
    func addPeer(_ address: DeviceAddress) -> RawPeer {
        let new = RawPeer(on: air, address: address)
        peers.append(new)
        if recorder != nil { record(new) }
        return new
    }

    // MARK: Randomness

    /// Octets that look random, and are the same in each run.
    func randomOctets(_ count: Int) -> [UInt8] {
        var octets: [UInt8] = []
        while octets.count < count {
            draws += 1
            octets += Cryptography.e(Self.secret(0x5A), SMFunctions.wide(draws))
        }
        return Array(octets.prefix(count))
    }

    /// A key pair whose private key is even, as the test suite wants the tester's.
    func keyPair() -> KeyPair { privateKey().pair }

    private func privateKey() -> (octets: [UInt8], pair: KeyPair) {
        var octets = randomOctets(32)
        octets[31] &= 0xFE
        // One in 2^32 is none of the curve's.
        return KeyPair(privateKey: octets).map { (octets, $0) } ?? privateKey()
    }

    private func provideSecrets() {
        while host.wantsPairingSecrets {
            let octets = randomOctets(PairingSecrets.octetCount)
            let key = privateKey()
            guard let secrets = PairingSecrets(keyPair: key.pair, octets: octets) else { return }
            host.provide(pairingSecrets: secrets)
            recorder?.pairings.gave(privateKey: key.octets, octets: octets)
        }
        recorder?.pairings.isFull = true
    }

    // MARK: Time

    /// Lets both sides run until `condition` holds, or for `limit` of virtual time; true when it held.
    @discardableResult
    func run(for limit: Duration, until condition: () -> Bool = { false }) -> Bool {
        let end = now + limit
        var turns = 0
        while true {
            exchange()
            if condition() { return true }
            guard let next = [air.deadline, host.deadline].compactMap({ $0 }).min(), max(next, now) <= end else {
                now = end
                air.advance(to: now)
                return false
            }
            // A deadline that stays in the past would keep the radio thread awake for ever.
            turns = next > now ? 0 : turns + 1
            guard turns < 1_000 else { return false }
            now = max(next, now)
            air.advance(to: now)
            if let deadline = host.deadline, deadline <= now { host.advance(to: now) }
        }
    }

    func advance(seconds: Int) { run(for: .seconds(seconds)) }

    /// Hands packets over in both directions until nothing more comes.
    private func exchange() {
        while true {
            provideSecrets()
            let down = host.takeOutbound()
            if !down.isEmpty {
                var passed: [UInt8] = []
                Self.forEachPacket(of: down) {
                    if $0[0] == 1 { commands.append(Array($0[1...])) }
                    onSent?($0)
                    recorder?.pairings.sent(packet: $0)
                    if swallows?($0) != true { passed += $0 }
                }
                air.receive(passed, from: controller, at: now)
            }
            for peer in peers { peer.collect() }
            let up = air.takeOutput(of: controller)
            let batch = host.takeEvents()
            note(batch)
            // What an owner of services has answered may have made events again.
            if up.isEmpty, batch.isEmpty, !host.hasOutbound, !host.wantsPairingSecrets { return }
            give(up)
        }
    }

    /// Our host's controller tells an event that no radio has caused.
    func tellHost(_ event: [UInt8]) {
        give([4] + event, isTold: true)
        run(for: .milliseconds(100))
    }

    /// Hands whole H4 packets to our host, as its controller would; it does nothing more by itself.
    func give(_ octets: [UInt8], isTold: Bool = false) {
        Self.forEachPacket(of: octets) {
            recorder?.packet($0, isTold: isTold)
            onReceived?($0)
            host.received($0.span.bytes, at: now)
        }
    }

    private static func forEachPacket(of octets: [UInt8], _ body: ([UInt8]) -> Void) {
        var offset = 0
        while offset < octets.count {
            let rest = octets.span.bytes.extracting(offset..<octets.count)
            guard case .packet(_, let length) = H4Framer.next(rest) else { return }
            body(Array(octets[offset..<(offset + length)]))
            offset += length
        }
    }

    private func note(_ batch: HostEventBatch) {
        for event in batch.events {
            recorder?.note(event, person)
            switch event {
            case .value(_, let handle, let range, let indication):
                values.append(
                    Value(handle: handle, octets: Array(batch.octets[range]), isIndication: indication != nil))
            case .advertisement(let seen):
                advertisements.append(
                    Sighted(
                        address: seen.address, isConnectable: seen.isConnectable,
                        octets: Array(batch.octets[seen.octets])))
            case .connected(let link, _, _), .linkUp(let link, _, .peripheral):
                links.append(link)
                events.append(event)
            case .server(_, let request) where served != nil: served?(request)
            case .pairing(let link, _, _, .asked(let question, let model)):
                questions.append(question)
                models.append(model)
                if let answer = person.answer(question) { host.answer(answer, onPairing: link, at: now) }
            default: events.append(event)
            }
        }
    }

    // MARK: The upper tester's requests

    func nextRequest() -> GATTRequestID {
        requests += 1
        return GATTRequestID(client: Self.client, number: requests)
    }

    /// Takes the first event that gives a result, and waits for it.
    @discardableResult
    func wait<Result>(for what: String, within limit: Duration = patience, _ match: (HostEvent) -> Result?) throws
        -> Result
    {
        guard let found = waitOptional(within: limit, match) else {
            throw ScriptFailure("expected \(what); the client was told \(events)")
        }
        return found
    }

    private func waitOptional<Result>(within limit: Duration, _ match: (HostEvent) -> Result?) -> Result? {
        run(for: limit, until: { events.contains { match($0) != nil } })
        for (index, event) in events.enumerated() {
            guard let result = match(event) else { continue }
            events.remove(at: index)
            return result
        }
        return nil
    }

    /// Fails when the host did what the specification forbids, or sent what no script asked for.
    func finish() throws {
        try expectsNothing(for: .milliseconds(500))
        let violations = air.violations(of: controller)
        try require(violations.isEmpty, "the host violated the specification: \(violations)")
    }
}
