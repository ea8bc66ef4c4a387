// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import BluetoothHost
import GATT
import HCI
import SMP
import VirtualRadio

/// The test bench: our host as implementation under test, a ``RawPeer`` as the lower tester on the same air, and the
/// host's client as the upper tester. Every failure throws.
final class Bench: AirBench {
    static let attributeProtocol: UInt16 = 0x0004
    static let signalling: UInt16 = 0x0005
    static let securityManager: UInt16 = 0x0006
    /// How long an answer may take: many connection events.
    static let patience: Duration = .seconds(2)

    /// The tester of the scripts. ``peers`` contains it and all other testers on the air.
    var peer: RawPeer
    private(set) var peers: [RawPeer]
    /// Events of the host that no script has looked at.
    var events: [HostEvent] = []
    var values: [Value] = []
    var advertisements: [Sighted] = []
    private(set) var requests: UInt64 = 0
    /// Links that the host has reported, the newest last.
    private(set) var links: [LinkID] = []
    /// Commands of the host, without the packet type, from the start on.
    private(set) var commands: [[UInt8]] = []
    /// Handles events of our server; nil: these events are kept with all other events.
    var served: ((ServerEvent) -> Void)?
    /// The person who answers the questions of the host's pairings.
    var person = Person()
    /// Questions that no script has looked at.
    var questions: [PairingQuestion] = []
    /// The association models of the questions.
    var models: [AssociationModel] = []
    /// How long our host has made itself wait between attempts to pair.
    var pauses: [Duration] = []
    private var draws: UInt32 = 0
    /// The host gets an invented event.
    private var isTelling = false
    /// Sees every H4 packet from our host.
    var onSent: (([UInt8]) -> Void)?
    /// Sees every H4 packet for our host.
    var onReceived: (([UInt8]) -> Void)?
    /// True for packets of our host that do not reach its controller.
    var swallows: (([UInt8]) -> Bool)?
    /// Input for our host becomes seeds for the fuzzer.
    var recorder: SeedRecorder?

    /// A notification or an indication, as the client gets it.
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
        let air = VirtualAir(seed: 1)
        let controller = air.attachController(address: Self.hostAddress, settings: settings)
        let peer = RawPeer(on: air, settings: tester)
        (self.peer, peers) = (peer, [peer])
        recorder = SeedRecorder()
        super.init(on: air)
        providesSecrets = true
        let random = DeviceAddress(kind: .random, value: 0xC000_0000_00FF)
        add(
            HostMachine(randomAddress: random, hostServices: hostServices), on: controller, address: Self.hostAddress)
        guard run(for: .seconds(5), until: { host.state == .ready }) else {
            throw ScriptFailure("the host does not start: \(host.state)")
        }
        events = []
        commands = []
        if recorder != nil { record(peer) }
    }

    deinit { recorder?.finish() }

    /// Another tester on this air.
    func addPeer(_ address: DeviceAddress) -> RawPeer {
        let new = RawPeer(on: air, address: address)
        peers.append(new)
        if recorder != nil { record(new) }
        return new
    }

    // MARK: Randomness

    /// Octets that look random, and are equal in each run.
    func randomOctets(_ count: Int) -> [UInt8] {
        var octets: [UInt8] = []
        while octets.count < count {
            draws += 1
            octets += Cryptography.e(Self.secret(0x5A), SMFunctions.wide(draws))
        }
        return Array(octets.prefix(count))
    }

    /// A key pair with an even private key, as the test suite requires for the tester.
    func keyPair() -> KeyPair { privateKey().pair }

    private func privateKey() -> (octets: [UInt8], pair: KeyPair) {
        var octets = randomOctets(32)
        octets[31] &= 0xFE
        // One number in 2^32 is not a private key of the curve.
        return KeyPair(privateKey: octets).map { (octets, $0) } ?? privateKey()
    }

    override func pairingSecrets() -> PairingSecrets? {
        let octets = randomOctets(PairingSecrets.octetCount)
        let key = privateKey()
        guard let secrets = PairingSecrets(keyPair: key.pair, octets: octets) else { return nil }
        recorder?.pairings.gave(privateKey: key.octets, octets: octets)
        return secrets
    }

    // MARK: Packets

    func advance(seconds: Int) { run(for: .seconds(seconds)) }

    override func sends(_ packet: [UInt8], _ player: Int) -> Bool {
        if packet[0] == 1 { commands.append(Array(packet[1...])) }
        onSent?(packet)
        recorder?.pairings.sent(packet: packet)
        return swallows?(packet) != true
    }

    override func receives(_ packet: [UInt8], _ player: Int) -> [[UInt8]] {
        recorder?.packet(packet, isTold: isTelling)
        onReceived?(packet)
        return [packet]
    }

    override func serveOthers() -> Bool {
        recorder?.pairings.isFull = true
        for peer in peers { peer.collect() }
        return false
    }

    /// Gives our host an event that no radio has caused.
    func tellHost(_ event: [UInt8]) {
        isTelling = true
        give([4] + event)
        isTelling = false
        run(for: .milliseconds(100))
    }

    override func record(_ batch: HostEventBatch, _ player: Int) {
        for event in batch.events {
            recorder?.record(event, person)
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

    /// Waits for the first event with a result, and takes the event.
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

    /// Throws if the host has violated the specification, or has sent frames that no script asked for.
    func finish() throws {
        try expectsNothing(for: .milliseconds(500))
        let violations = air.violations(of: controller)
        try require(violations.isEmpty, "the host violated the specification: \(violations)")
    }
}
