// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import SMP
import Testing

/// Every PDU at every moment of every pairing, in both roles.
struct PairingPhaseTests {
    /// One well-formed PDU of each code.
    private static let pdus: [UInt8: [UInt8]] = Dictionary(
        SMPPDUTests.rows.map { ($0.octets[0], $0.octets) }, uniquingKeysWith: { first, _ in first })

    @Test(arguments: PairingScenario.allCases)
    func `a PDU at the wrong time ends the pairing once, without a key`(scenario: PairingScenario) throws {
        #expect(Self.pdus.keys.sorted() == Array(0x01...0x0E))
        var loop = scenario.loop
        loop.run()
        #expect(loop.result(.central) != nil && loop.result(.peripheral) != nil)
        var ended = 0
        for moment in loop.moments {
            for (role, machine) in moment.machines where !machine.isEnded {
                let next = loop.arrivals.dropFirst(moment.arrived).first { $0.to == role }?.octets[0]
                for (code, octets) in Self.pdus where code != next {
                    if check(machine, role, code, octets, scenario) { ended += 1 }
                }
            }
        }
        #expect(ended > 100)
    }

    /// False when the PDU had no effect.
    private func check(
        _ machine: PairingMachine, _ role: LinkRole, _ code: UInt8, _ octets: [UInt8], _ scenario: PairingScenario
    ) -> Bool {
        var machine = machine
        let effects = machine.received(octets[...], at: .zero)
        if effects.isEmpty {
            #expect((code == 0x0B && role == .central) || (code == 0x0E && scenario.model == .passkeyEntry))
            #expect(!machine.isEnded)
            return false
        }
        if code == 0x05 {
            #expect(effects == [.failed(.refusedByPeer(.confirmValueFailed))])
        } else {
            let isOfOtherRole =
                role == .central ? code == 0x01 : [0x02, 0x0B].contains(code)
            let reason: PairingFailedReason = isOfOtherRole ? .commandNotSupported : .unspecifiedReason
            #expect(effects == [.send([0x05, reason.rawValue]), .failed(.refused(reason))])
        }
        expectDeaf(machine)
        return true
    }

    private func expectDeaf(_ machine: PairingMachine) {
        var machine = machine
        #expect(machine.isEnded && machine.deadline == nil)
        #expect(machine.key(ediv: 0, rand: 0) == nil)
        for octets in Self.pdus.values { #expect(machine.received(octets[...], at: .zero) == []) }
        #expect(machine.received([], at: .zero) == [])
        for answer in [PairingAnswer.yes, .no, .passkey(0)] { #expect(machine.answer(answer, at: .zero) == []) }
        #expect(machine.begin(at: .zero) == [])
        #expect(machine.encrypted(at: .zero) == [])
        #expect(machine.encryptionFailed(at: .zero) == [])
        #expect(machine.cancel(.unspecifiedReason, at: .zero) == [])
        #expect(machine.disconnected(at: .zero) == [])
        #expect(machine.expire(at: .zero + .seconds(3600)) == [])
    }

    @Test(arguments: PairingScenario.allCases)
    func `every way to end a pairing ends it once, at every moment`(scenario: PairingScenario) {
        var loop = scenario.loop
        loop.run()
        for moment in loop.moments {
            for (role, machine) in moment.machines where !machine.isEnded {
                var cancelled = machine
                #expect(
                    cancelled.cancel(.unspecifiedReason, at: .zero) == [
                        .send([0x05, 0x08]), .failed(.refused(.unspecifiedReason)),
                    ])
                expectDeaf(cancelled)
                var disconnected = machine
                #expect(disconnected.disconnected(at: .zero) == [.failed(.disconnected)])
                expectDeaf(disconnected)
                var failed = machine
                #expect(failed.encryptionFailed(at: .zero) == [.failed(.encryptionFailed)])
                expectDeaf(failed)
                guard moment.arrived > 0 || machine.deadline != nil else { continue }
                var late = machine
                #expect(late.deadline == .zero + .seconds(30), "\(role)")
                #expect(late.expire(at: .zero + .milliseconds(29_999)) == [])
                #expect(late.expire(at: .zero + .seconds(30)) == [.failed(.timedOut)])
                expectDeaf(late)
            }
        }
    }

    @Test(arguments: PairingScenario.allCases)
    func `a cut or lengthened PDU is a refusal for its parameters`(scenario: PairingScenario) {
        var loop = scenario.loop
        loop.run()
        for (index, arrival) in loop.arrivals.enumerated() {
            guard let moment = loop.moments.last(where: { $0.arrived == index }),
                let machine = moment.machines[arrival.to]
            else { continue }
            for octets in (0..<arrival.octets.count).map({ Array(arrival.octets.prefix($0)) }) + [arrival.octets + [0]]
            {
                var machine = machine
                #expect(
                    machine.received(octets[...], at: .zero) == [
                        .send([0x05, 0x0A]), .failed(.refused(.invalidParameters)),
                    ])
            }
        }
    }

    @Test(arguments: PairingScenario.allCases)
    func `codes that nobody has defined change nothing`(scenario: PairingScenario) {
        var loop = scenario.loop
        loop.run()
        for moment in loop.moments {
            for machine in moment.machines.values where !machine.isEnded {
                for code in [0x00, 0x0F, 0x80, 0xFF] as [UInt8] {
                    var machine = machine
                    let deadline = machine.deadline
                    #expect(machine.received([code, 1, 2], at: .zero + .seconds(5)) == [])
                    #expect(!machine.isEnded && machine.deadline == deadline)
                }
            }
        }
    }

    @Test(arguments: PairingScenario.allCases)
    func `one bit changed underway never makes a key`(scenario: PairingScenario) throws {
        var honest = scenario.loop
        honest.run()
        for (index, pdu) in honest.sent.enumerated() where ![0x06, 0x07, 0x08, 0x09].contains(pdu.octets[0]) {
            // A few octets of each where there are many rounds.
            let isLong = honest.sent.count > 40 && index > 3
            let places = isLong ? [0, 1 + index % 16] : Array(pdu.octets.indices)
            for place in places {
                for bit in [0x01, 0x80] as [UInt8] {
                    // Which keys are given is not part of any check value of Secure Connections.
                    if !scenario.isLegacy, pdu.octets[0] <= 0x02, place >= 5 { continue }
                    var loop = scenario.loop
                    loop.alter = { number, sent in
                        var octets = sent.octets
                        if number == index { octets[place] ^= bit }
                        return octets
                    }
                    loop.run()
                    #expect(
                        loop.result(.central) == nil && loop.result(.peripheral) == nil,
                        "PDU \(index), octet \(place), bit \(bit)")
                }
            }
        }
    }

    @Test func `changed flags of keys give no other keys`() {
        for index in 0...1 {
            for place in 5...6 {
                for octet in 0...0xFF as ClosedRange<UInt8> {
                    var loop = PairingScenario.numericComparison.loop
                    loop.alter = { number, sent in
                        var octets = sent.octets
                        if number == index { octets[place] = octet }
                        return octets
                    }
                    loop.run()
                    if let initiator = loop.result(.central), let responder = loop.result(.peripheral) {
                        #expect(initiator.keys == responder.keys)
                    }
                    #expect(!loop.sent.contains { [0x06, 0x07, 0x0A].contains($0.octets[0]) })
                }
            }
        }
    }
}
