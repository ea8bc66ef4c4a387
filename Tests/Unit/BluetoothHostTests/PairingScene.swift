// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import GATT
import SMP
import Testing
import VirtualRadio

@testable import BluetoothHost
@testable import HostBench

/// Two hosts of ours that pair, with people who do as they are asked: digits shown on one side are entered on the
/// other. `a` is the Peripheral, `b` the Central.
final class PairingScene {
    let duet: Duet
    private(set) var links: (a: LinkID, b: LinkID)
    /// Entered if neither side shows a passkey.
    var agreedPasskey: UInt32 = 246_813
    /// The answers of people; nil: no answer.
    var consent: PairingAnswer? = .yes
    var comparison: PairingAnswer? = .yes
    /// Wrong digits are entered.
    var misreads = false
    /// The questions so far, by player.
    private(set) var questions: [[PairingQuestion]] = [[], []]
    private(set) var models: Set<AssociationModel> = []

    private var cursors = [0, 0]
    private var shown: UInt32?
    private var entering: Set<Int> = []

    init(
        _ controllers: (ControllerSettings, ControllerSettings) = (ControllerSettings(), ControllerSettings()),
        prepare: (Duet) throws -> Void = { _ in }
    ) throws {
        duet = Duet(controllers.0, controllers.1)
        try prepare(duet)
        links = try duet.connected()
    }

    // MARK: Players

    func link(_ player: Int) -> LinkID { player == 0 ? links.a : links.b }
    func address(of player: Int) -> DeviceAddress { duet.players[player].address }

    func setPolicy(_ body: (inout SecurityPolicy) -> Void) {
        for index in duet.players.indices { body(&duet.players[index].host.policy) }
    }

    func open(_ player: Int) { duet.players[player].host.policy.acceptsPairing = .open }

    @discardableResult
    func pair(by player: Int, _ settings: (inout PairingSettings) -> Void = { _ in }) -> PairingStart {
        duet.players[player].host.pair(link(player), at: duet.now, settings)
    }

    func security(_ player: Int) -> LinkSecurity? { duet.players[player].host.security(of: link(player)) }

    /// A player's bond with the other player.
    func bond(_ player: Int) -> Bond? { duet.players[player].host.bond(for: address(of: 1 - player)) }

    func counters(_ player: Int) -> HostCounters { duet.players[player].host.counters }

    // MARK: Octets

    /// Gives a player's host a PDU of the Security Manager, as if from the peer.
    func inject(_ pdu: [UInt8], to player: Int) { inject(pdu, to: player, on: link(player)) }

    func inject(_ pdu: [UInt8], to player: Int, on link: LinkID) {
        guard let handle = duet.players[player].host.links.handle(of: link) else { return }
        var packet: [UInt8] = [2]
        packet.append(u16: handle | 0x2000)
        packet.append(u16: UInt16(pdu.count + 4))
        packet.append(u16: UInt16(pdu.count))
        packet.append(u16: 6)
        packet += pdu
        duet.players[player].host.received(packet.span.bytes, at: duet.now)
    }

    /// The player's controller asks for the key without numbers.
    func injectKeyRequest(to player: Int) {
        guard let handle = duet.players[player].host.links.handle(of: link(player)) else { return }
        var packet: [UInt8] = [4, 0x3E, 13, 5]
        packet.append(u16: handle)
        packet += [UInt8](repeating: 0, count: 10)
        duet.players[player].host.received(packet.span.bytes, at: duet.now)
    }

    /// PDUs of the Security Manager that a player's host has sent.
    func sentPairingPDUs(_ player: Int) -> [[UInt8]] {
        duet.players[player].sent.compactMap { packet in
            packet.count > 9 && packet[0] == 2 && packet[7] == 6 && packet[8] == 0 ? Array(packet[9...]) : nil
        }
    }

    // MARK: Events

    func pairingEvents(_ player: Int) -> [PairingEvent] {
        duet.players[player].events.compactMap { if case .pairing(_, _, _, let event) = $0 { event } else { nil } }
    }

    /// Pairings refused before their beginning, and all other events.
    func toldOfPairing(_ player: Int) -> (refusals: [PairingRefusal], others: [PairingEvent]) {
        let events = pairingEvents(player)
        let refusals = events.compactMap { if case .refused(let refusal) = $0 { refusal } else { nil } }
        return (refusals, events.filter { if case .refused = $0 { false } else { true } })
    }

    func failure(_ player: Int) -> PairingFailure? {
        pairingEvents(player).reversed().lazy.compactMap { if case .failed(let failure) = $0 { failure } else { nil } }
            .first
    }

    func hasFinished(_ player: Int) -> Bool {
        pairingEvents(player).contains { if case .finished = $0 { true } else { false } }
    }

    func isDown(_ player: Int) -> Bool {
        let link = link(player)
        return duet.count(player) { if case .linkDown(link, _) = $0 { true } else { false } } > 0
    }

    /// Both sides run, and people answer, until `condition` holds or `limit` of virtual time is over.
    @discardableResult
    func run(for limit: Duration = .seconds(10), until condition: () -> Bool = { false }) -> Bool {
        duet.run(for: limit) {
            for player in 0...1 { attend(to: player) }
            return condition()
        }
    }

    func finish() -> Bool {
        run(for: .seconds(20)) { hasFinished(0) && hasFinished(1) || failure(0) != nil || failure(1) != nil }
        if let failure = failure(0) ?? failure(1) { Issue.record("\(failure)") }
        return hasFinished(0) && hasFinished(1)
    }

    /// Ends the link, and makes another link.
    func reconnect() throws {
        duet.players[1].host.disconnect(address(of: 0), for: Duet.client, at: duet.now)
        #expect(run { isDown(0) && isDown(1) })
        forget()
        links = try duet.connected()
    }

    func forget() {
        duet.forget()
        cursors = [0, 0]
        questions = [[], []]
        models = []
    }

    private func attend(to player: Int) {
        let events = duet.players[player].events
        let news = events[min(cursors[player], events.count)...]
        cursors[player] = events.count
        for case .pairing(let link, _, _, .asked(let question, let model)) in news {
            questions[player].append(question)
            models.insert(model)
            switch question {
            case .consent: if let consent { answer(consent, on: link, player) }
            case .compare: if let comparison { answer(comparison, on: link, player) }
            case .display(let passkey): shown = passkey
            case .enterPasskey: entering.insert(player)
            }
        }
        guard entering.contains(player), let passkey = shown ?? (entering.count == 2 ? agreedPasskey : nil) else {
            return
        }
        if shown == nil {
            for each in entering { answer(.passkey(passkey), on: self.link(each), each) }
            entering = []
        } else {
            answer(.passkey(misreads ? (passkey + 1) % 1_000_000 : passkey), on: link(player), player)
            entering.remove(player)
            shown = nil
        }
    }

    func answer(_ answer: PairingAnswer, on link: LinkID, _ player: Int) {
        duet.players[player].host.answer(answer, onPairing: link, at: duet.now)
    }
}
